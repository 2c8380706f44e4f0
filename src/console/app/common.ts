// The small parts of most pages: in the file of the frame they take fewer requests and bytes than in files of their own.
import "./parts/csv-button.tsx";
import "./parts/figures.tsx";
import "./parts/media.ts";
import "./parts/meanings.tsx";
import "./parts/metric-name.tsx";
import "./parts/missing.tsx";
import "./parts/ordinary.ts";
import "./parts/watch-button.tsx";
import "./recent-symbols.ts";
