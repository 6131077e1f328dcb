// Making elements without ceremony.
type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

// An element with attributes, listeners (keys that start with "on") and children; texts are texts, never markup.
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return made;
}

// The viewer's own small drawings, on a grid of 24.
const paths = {
  play: "M8 5.5v13l10.5-6.5z",
  pause: "M7.5 5.5h3v13h-3zM13.5 5.5h3v13h-3z",
  previous: "M6 6h2v12H6zM19 6v12l-9-6z",
  next: "M16 6h2v12h-2zM5 6v12l9-6z",
  loop: "M12 6V3L7.5 7.2 12 11.4V8.2a4.3 4.3 0 1 1-4.3 4.3H5.5A6.5 6.5 0 1 0 12 6z",
  fit: "M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z",
  trail: "M4 17.5c4 1.500 5.500-1 6.500-4s3-6.500 6.300-6.800v2.300c-2 .3-3.200 2.700-4.200 5.400S8.800 20.800 4 19.600zM18.500 5a2.300 2.300 0 1 1 0 4.600 2.300 2.300 0 0 1 0-4.600z",
  names: "M4 19L9.500 5h2.200L17.200 19h-2.400l-1.300-3.500H7.700L6.400 19zm4.400-5.500h4.400L10.600 7.800z",
  theme: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zm0 2v13a6.500 6.500 0 0 1 0-13z",
  help: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zm0 1.800a6.700 6.700 0 1 1 0 13.400 6.700 6.700 0 0 1 0-13.400zm-.9 10.200h1.800v1.800h-1.800zM12 7.200c-1.900 0-3.100 1.100-3.200 2.800h1.800c.1-.8.6-1.200 1.400-1.200s1.400.5 1.400 1.200c0 .6-.3.9-1 1.400-.9.600-1.300 1.100-1.300 2.200v.5h1.800v-.3c0-.6.2-.9 1-1.400.9-.6 1.400-1.300 1.400-2.400 0-1.700-1.300-2.800-3.300-2.800z",
  close: "M6.400 5L5 6.400l5.600 5.600L5 17.600 6.400 19l5.600-5.600 5.600 5.600 1.400-1.400-5.600-5.600L19 6.400 17.600 5 12 10.600z",
} as const;
export type Icon = keyof typeof paths;

export function icon(name: Icon): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

// A button that shows a drawing and says its name.
export function icon_button(name: Icon, label: string, key: string | undefined, act: () => void): HTMLButtonElement {
  const button = element("button", { type: "button", class: "icon", "aria-label": label, title: key ? `${label} (${key})` : label, onclick: act });
  button.append(icon(name));
  return button;
}

// Replace the drawing of a button.
export function set_icon(button: HTMLButtonElement, name: Icon, label: string): void {
  button.replaceChildren(icon(name));
  button.setAttribute("aria-label", label);
}
