// The import must be static: Bun cannot bundle a dynamic import of HTML. So this module is imported lazily.
import page from "#console/app/console.html";
import licences from "#console/licences.txt" with { type: "text" };

export default page;
export { licences };
