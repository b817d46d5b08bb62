/** Shows truncated text in full as a tooltip, handled once for the whole window instead of by each element. */
import { visibleText } from '#shared/model/format.ts';

/** Number of elements, from the hovered one upwards, that are checked for truncation. */
const AROUND = 4;

function isCut(element: HTMLElement): boolean {
  const wide = element.scrollWidth > element.clientWidth;
  const high = element.scrollHeight > element.clientHeight;
  if (!wide && !high) return false;
  const { textOverflow, webkitLineClamp } = getComputedStyle(element);
  return (wide && textOverflow === 'ellipsis') || (high && webkitLineClamp !== 'none');
}

function cutAround(target: EventTarget | null): HTMLElement | null {
  let element = target instanceof HTMLElement ? target : null;
  for (let far = 0; element !== null && far < AROUND; far++, element = element.parentElement) {
    if (element.title !== '') return null;
    if (isCut(element)) return element.closest('[title]:not([title=""])') === null ? element : null;
  }
  return null;
}

const wholeOf = (element: HTMLElement): string =>
  visibleText(
    element instanceof HTMLInputElement ? element.value : element.innerText.replace(/\s+/g, ' '),
  ).trim();

/** Sets the tooltip while the pointer is over the element. Returns the cleanup. */
export function tellCutTexts(): () => void {
  let tip: { element: HTMLElement; text: string } | null = null;
  const onOver = ({ target }: Event) => {
    if (tip !== null) {
      if (target instanceof Node && tip.element.contains(target)) return;
      // Only if the element has not set its own title meanwhile.
      if (tip.element.title === tip.text) tip.element.removeAttribute('title');
      tip = null;
    }
    const element = cutAround(target);
    if (element === null) return;
    tip = { element, text: wholeOf(element) };
    element.title = tip.text;
  };
  document.addEventListener('pointerover', onOver, { passive: true });
  return () => document.removeEventListener('pointerover', onOver);
}
