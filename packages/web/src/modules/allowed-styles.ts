/**
 * The terminal and the editor write their rules into style elements, and the terminal colours into style attributes of spans. Our CSP
 * refuses both: styles come from `'self'` and nothing is inline. What it allows is the object model, so the same rules go through that.
 * (The terminal takes another document as an option, but parts of it use the page's own all the same.)
 */

/** Style elements that are made meanwhile are stand-ins for constructed style sheets. */
export function openWithoutStyleElements<T>(open: () => T): T {
  const native = Document.prototype.createElement;
  document.createElement = ((name: string, options?: ElementCreationOptions) =>
    name === 'style'
      ? standInForStyle(native.call(document, 'template'))
      : native.call(document, name, options)) as Document['createElement'];
  try {
    return open();
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
