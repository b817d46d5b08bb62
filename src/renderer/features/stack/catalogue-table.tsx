import type { JSX } from 'react';
import { AppStateMark } from '#renderer/ui/app-state.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { SparkBars } from '#renderer/ui/sparkbars.tsx';
import { gridTime } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';
import { type CatalogueViewProps, movable } from './catalogue-cards.tsx';
import { Count, FIGURES } from './figures.tsx';
import { ItemMark } from './item-mark.tsx';

/** The same in rows; a catalogue has some dozens of them. */
export function CatalogueTable({ catalogue, chosen, onChoose }: CatalogueViewProps): JSX.Element {
  const clock = useClock();
  return (
    <table className="pp-stack-table">
      <thead>
        <tr>
          <th scope="col">{catalogue.order === 'stack' ? 'Tool' : 'App or tool'}</th>
          <th scope="col">State</th>
          <th scope="col">Licence</th>
          <th scope="col">Category</th>
          <th scope="col">Family</th>
          {FIGURES.map(({ id, label }) => (
            <th key={id} scope="col" className="pp-num">
              {label}
            </th>
          ))}
          <th scope="col">Scanned over time</th>
        </tr>
      </thead>
      <tbody>
        {catalogue.items.map((item) => {
          const counts = catalogue.counts.get(item.app.name);
          const known = counts && !counts.error ? counts : undefined;
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
                  <Count value={known?.[id]} />
                </td>
              ))}
              <td title={counts?.error ? visibleText(counts.error) : undefined}>
                {known?.series?.length ? (
                  <SparkBars
                    values={known.series.map(({ scanned }) => scanned)}
                    times={known.series.map(({ time }) => gridTime(time, clock))}
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
