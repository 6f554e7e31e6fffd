/**
 * xterm.js writes its colours into style elements and into style attributes of spans, both of which our CSP refuses: styles come from
 * `'self'` and nothing is inline. What the CSP allows is the object model, so the same rules go through it. The option that hands the
 * terminal another document does not help: parts of it take the page's own all the same.
 */

/** While it is opened the terminal makes its style elements: each is a stand-in for a constructed style sheet. */
export function openWithoutStyleElements(open: () => void): void {
  const native = Document.prototype.createElement;
  document.createElement = ((name: string, options?: ElementCreationOptions) =>
    name === 'style'
      ? standInForStyle(native.call(document, 'template'))
      : native.call(document, name, options)) as Document['createElement'];
  try {
    open();
  } finally {
    // Our own property goes, and the one that every document has shows again.
    Reflect.deleteProperty(document, 'createElement');
  }
}

/** From now on a style attribute of a span is set by the object model, which comes to the same and is allowed. */
export function setStylesOfSpansByObject(): void {
  const native = Element.prototype.setAttribute;
  HTMLSpanElement.prototype.setAttribute = function setAttribute(this: HTMLSpanElement, name: string, value: string) {
    if (name === 'style') this.style.cssText = value;
    else native.call(this, name, value);
  };
}

/** Its text is the rules; it takes them away when it is removed. */
function standInForStyle(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  let text = '';
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, 'textContent', {
    get: () => text,
    set: (rules: string) => {
      text = rules;
      sheet.replaceSync(rules);
    },
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    remove();
  };
  return element;
}
