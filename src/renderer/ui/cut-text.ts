/** The whole of a text that is cut off, as its tooltip: told here for all of the window, not by each element. */
import { visibleText } from '#shared/model/format.ts';

/** What is cut off lies at most so far around what the pointer is on. */
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

/** While the pointer is on it. Returns the end of it. */
export function tellCutTexts(): () => void {
  let told: { element: HTMLElement; text: string } | null = null;
  const onOver = ({ target }: Event) => {
    if (told !== null) {
      if (target instanceof Node && told.element.contains(target)) return;
      // Not one that it has got of its own meanwhile.
      if (told.element.title === told.text) told.element.removeAttribute('title');
      told = null;
    }
    const element = cutAround(target);
    if (element === null) return;
    told = { element, text: wholeOf(element) };
    element.title = told.text;
  };
  document.addEventListener('pointerover', onOver, { passive: true });
  return () => document.removeEventListener('pointerover', onOver);
}
