import type { DragEvent, JSX, KeyboardEvent } from 'react';
import { AppStateMark } from '#renderer/ui/app-state.tsx';
import { SparkBars } from '#renderer/ui/charts/sparkbars.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { numberHead, TableHead } from '#renderer/ui/table-head.tsx';
import { gridTime } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';
import type { Item } from './catalogue.ts';
import { Count, Figures, FlaggedFigure, ItemMark } from './figures.tsx';
import { FIGURES } from './labels.ts';
import type { Catalogue } from './use-catalogue.ts';

interface CatalogueViewProps {
  catalogue: Catalogue;
  chosen: string | null;
  onChoose: (name: string) => void;
}

const DRAGGED = 'application/x-parapet-tool';

/** Props that make an entry of the stack movable by dragging and by Alt with arrows; none in the app store. */
function movable({ order, dropBefore, step }: Catalogue, { app }: Item) {
  if (order !== 'stack') return {};
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData(DRAGGED, app.name);
      event.dataTransfer.effectAllowed = 'move';
    },
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const name = event.dataTransfer.getData(DRAGGED);
      if (name === '' || name === app.name) return;
      event.preventDefault();
      dropBefore(name, app.name);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const back = event.key === 'ArrowUp' || event.key === 'ArrowLeft';
      if (!event.altKey || !(back || event.key === 'ArrowDown' || event.key === 'ArrowRight')) return;
      event.preventDefault();
      event.stopPropagation();
      step(app.name, back ? -1 : 1);
    },
  };
}

/** Keeps the height of a line whose text is omitted. */
const NO_BREAK = '\u00a0';

/** Category and family, omitting what the name already contains. */
function categoryWords({ app, label, words }: Item): string {
  const facts = [app.category, app.is_saas ? words.family.label : null]
    .filter(Boolean)
    .map((word) => visibleText(String(word)));
  return facts.length === 0 ? 'No category' : facts.filter((word) => word !== label).join(' · ');
}

/** Shown unless paid; expired licences as a warning. */
function Licence({ item }: { item: Item }): JSX.Element | null {
  const { value, label } = item.words.licence;
  if (value === '' || value === 'paid') return null;
  return (
    <span className={`pp-stack-licence ${value === 'demo' ? '' : 'pp-caution'}`}>{visibleText(label)}</span>
  );
}

export function CatalogueCards({ catalogue, chosen, onChoose }: CatalogueViewProps): JSX.Element {
  return (
    <ul className="pp-stack-cards">
      {catalogue.items.map((item) => (
        <li key={item.app.name} {...movable(catalogue, item)}>
          <button
            type="button"
            className={`pp-stack-card${item.app.state === 'disabled' ? ' pp-stack-off' : ''}${catalogue.isEvidence ? ' pp-stack-plain' : ''}`}
            aria-pressed={chosen === item.app.name}
            data-item={item.app.name}
            onClick={() => onChoose(item.app.name)}
          >
            <span className="pp-stack-head">
              <ItemMark item={item} product={catalogue.product} />
              <AppStateMark state={item.app.state} />
            </span>
            <span className="pp-stack-head pp-small pp-t3">
              <span className="pp-ellipsis">{categoryWords(item) || NO_BREAK}</span>
              <Licence item={item} />
            </span>
            {catalogue.isEvidence ? (
              <FlaggedFigure tool={item.app.name} />
            ) : (
              <Figures
                counts={catalogue.counts.get(item.app.name)}
                read={catalogue.statistics}
                label={item.label}
              />
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The catalogue as a table; a few dozen rows need no virtualisation. */
export function CatalogueTable({ catalogue, chosen, onChoose }: CatalogueViewProps): JSX.Element {
  const clock = useClock();
  return (
    <table className="pp-stack-table">
      <TableHead
        heads={[
          catalogue.order === 'stack' ? 'Tool' : 'App or tool',
          'State',
          'Licence',
          'Category',
          'Family',
          ...FIGURES.map(({ label }) => numberHead(label)),
          'Scanned over time',
        ]}
      />
      <tbody>
        {catalogue.items.map((item) => {
          const counts = catalogue.counts.get(item.app.name);
          const statistics = counts && !counts.error ? counts : undefined;
          return (
            <tr
              key={item.app.name}
              className={`${chosen === item.app.name ? 'pp-stack-chosen' : ''}${item.app.state === 'disabled' ? ' pp-stack-off' : ''}`}
              onClick={() => onChoose(item.app.name)}
              {...movable(catalogue, item)}
            >
              <th scope="row">
                <button
                  type="button"
                  className="pp-stack-open"
                  aria-pressed={chosen === item.app.name}
                  data-item={item.app.name}
                >
                  <ItemMark item={item} product={catalogue.product} />
                </button>
              </th>
              <td>
                <AppStateMark state={item.app.state} />
              </td>
              <td>{visibleText(item.words.licence.label)}</td>
              <td className="pp-ellipsis">{visibleText(item.words.category.label)}</td>
              <td className="pp-ellipsis">{visibleText(item.words.family.label)}</td>
              {FIGURES.map(({ id }) => (
                <td key={id} className="pp-num">
                  <Count value={statistics?.[id]} />
                </td>
              ))}
              <td title={counts?.error ? visibleText(counts.error) : undefined}>
                {statistics?.series?.length ? (
                  <SparkBars
                    values={statistics.series.map(({ scanned }) => scanned)}
                    times={statistics.series.map(({ time }) => gridTime(time, clock))}
                    label={`Scanned in ${item.label}`}
                    height={16}
                  />
                ) : (
                  <span className="pp-t3">{counts?.error ? 'No answer' : '–'}</span>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
