// The page that is shown when there is nothing to show: what is wrong, and what to do about it.
import { element } from "./dom";

export function show_failure(place: HTMLElement, title: string, what: string, advice: string, details?: string): void {
  document.title = title;
  place.replaceChildren(
    element(
      "section",
      { class: "failure", role: "alert" },
      element("p", { class: "mark-of-house", "aria-hidden": "true" }, "zwang"),
      element("h1", {}, title),
      element("p", {}, what),
      element("p", {}, advice),
      details ? element("details", {}, element("summary", {}, "Details"), element("pre", {}, details)) : undefined,
    ),
  );
}
