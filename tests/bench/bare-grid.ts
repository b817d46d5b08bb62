/** The minimum cost of showing a query: its raw call, and a bare grid of the same library over its rows. */
import path from 'node:path';
import type { Browser } from 'playwright';

interface AgGrid {
  createGrid(element: Element, options: object): { destroy(): void };
}
declare const agGrid: AgGrid;

interface BareGrid {
  /** A background page draws no frames. */
  toFront(): Promise<void>;
  /** Milliseconds from the rows to a frame that shows them, in a grid without React and with plain text cells. */
  draw(rows: readonly Record<string, unknown>[], columns: readonly string[]): Promise<number>;
}

export async function openBareGrid(browser: Browser): Promise<BareGrid> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.setContent('<div id="grid" style="height: 600px"></div>');
  await page.addScriptTag({
    path: path.resolve(
      import.meta.dirname,
      '../../node_modules/ag-grid-community/dist/ag-grid-community.min.js',
    ),
  });
  return {
    toFront: () => page.bringToFront(),
    draw: (rows, columns) =>
      page.evaluate(
        ({ rows, columns }) =>
          new Promise<number>((resolve) => {
            const element = document.querySelector('#grid');
            if (element === null) throw new Error('The page has no place for a grid');
            const began = performance.now();
            const grid = agGrid.createGrid(element, {
              columnDefs: columns.map((field) => ({
                field,
                valueFormatter: ({ value }: { value: unknown }) => String(value ?? ''),
              })),
              rowData: rows,
              rowHeight: 28,
              headerHeight: 28,
              rowBuffer: 6,
              suppressAnimationFrame: true,
            });
            const look = () => {
              if (!element.querySelector('.ag-row[row-index="0"] .ag-cell')?.textContent)
                return requestAnimationFrame(look);
              return requestAnimationFrame(() => {
                resolve(performance.now() - began);
                grid.destroy();
              });
            };
            requestAnimationFrame(look);
          }),
        { rows, columns },
      ),
  };
}
