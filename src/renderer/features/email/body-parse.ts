/** HTML of a mail as an inert document: nothing runs, nothing loads, and no name shadows the DOM. */

const rootOf = Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement')?.get;
const CLOBBERS = 'form, embed, iframe, img, object, button, fieldset, input, output, select, textarea';

/**
 * Parses hostile HTML. An element named "querySelectorAll" would stand in for the document's own method, and a
 * field named "childNodes" for its form's: such names and ids are taken away before anything else is asked.
 */
export function parseInert(html: string): Document {
  // Chromium tries to load the text track of a video even in an inert document; the page's policy refuses it.
  const doc = new DOMParser().parseFromString(html.replace(/<track\b/gi, '<span'), 'text/html');
  const root = rootOf?.call(doc) as HTMLElement;
  const { removeAttribute } = Element.prototype;
  for (const element of root.querySelectorAll('[name]')) removeAttribute.call(element, 'name');
  for (const element of root.querySelectorAll(CLOBBERS)) removeAttribute.call(element, 'id');
  return doc;
}
