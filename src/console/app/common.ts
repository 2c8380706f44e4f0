// The small parts of most pages: in the file of the frame they take fewer requests and bytes than in files of their own.
import "./one-unit.ts";
import "./pages/lists/reports-week.ts";
import "./pages/lists/reports.ts";
import "./parts/action.ts";
import "./parts/change.tsx";
import "./parts/class-name.ts";
import "./parts/figures.tsx";
import "./parts/lazy-part.tsx";
import "./parts/media.ts";
import "./parts/meanings.tsx";
import "./parts/metric-name.tsx";
import "./parts/ordinary.ts";
import "./parts/unit-text.ts";
import "./parts/year-line.tsx";
import "./recent-symbols.ts";
