// Builds the page's elements. Text from outside only ever becomes text nodes; nothing here parses markup.

// Characters that are invisible or change how others are drawn: controls, line separators, bidi overrides, tag characters.
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

const ATTRIBUTES = new Set([
  "aria-controls", "aria-current", "aria-describedby", "aria-expanded", "aria-hidden", "aria-label", "aria-labelledby",
  "aria-live", "aria-pressed", "class", "colspan", "data-n", "data-mark", "data-code", "dir", "for", "href", "id", "inputmode",
  "max", "min", "name", "placeholder", "role", "scope", "step", "tabindex", "title", "type", "value",
]);

/** An element with attributes and children; a string child becomes text, null and false are left out. */
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (!ATTRIBUTES.has(name)) throw new Error(`attribute ${name} is not allowed`);
    if (name === "href" && !String(value).startsWith("#")) throw new Error("links stay inside the page");
    node.setAttribute(name, value === true ? "" : String(value));
  }
  return add(node, ...children);
}

function add(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    if (child instanceof Node) node.append(child);
    else addText(node, String(child));
  }
  return node;
}

/** Appends text as it is; a character that would hide or reorder others is kept in a box of its own that shows its code. */
function addText(node, text) {
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) node.append(document.createTextNode(text.slice(from, match.index)));
    const code = "U+" + match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    const box = document.createElement("bdi");
    box.className = "hidden-char";
    box.dataset.code = code;
    box.title = `invisible character ${code}`;
    box.append(document.createTextNode(match[0]));
    node.append(box);
    from = match.index + match[0].length;
  }
  if (from < text.length) node.append(document.createTextNode(text.slice(from)));
}

/** Text from outside within our own words: kept apart, so that its direction does not spread. */
const quoted = (text, name) => el("bdi", { class: name, dir: "auto" }, text);

const button = (attributes, action, ...children) => {
  const node = el("button", { type: "button", ...attributes }, ...children);
  node.addEventListener("click", action);
  return node;
};

/** Makes an inline element (a button element would not break across lines) act as a button. */
function asButton(node, action) {
  node.addEventListener("click", action);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    action(event);
  });
}

/** A thin bar; its width is set through the object model, which the page's policy allows. */
function gauge(share, name) {
  const fill = el("span", { class: "fill" });
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return el("span", { class: `bar ${name || ""}`, "aria-hidden": "true" }, fill);
}

/** A share with at most 4 decimals; 0 and 1 stand for exactly these alone. */
function asShare(value) {
  const near = Number(value.toFixed(4));
  if (near === value || (near !== 0 && near !== 1)) return String(near);
  return near ? ">0.9999" : "<0.0001";
}

const plural = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many || one + "s"}`;

/** What an object itself holds under a name from outside: `constructor` and its like are on every object. */
const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

const readJson = (id) => JSON.parse(document.getElementById(id).textContent);

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const reveal = (node, block) => node.scrollIntoView({ block: block || "nearest", behavior: calm.matches ? "auto" : "smooth" });

function inView(node) {
  const box = node.getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight * 0.8;
}
