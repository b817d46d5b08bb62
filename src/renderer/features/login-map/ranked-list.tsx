import type { JSX } from 'react';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Ranked } from '#shared/logins/summary.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { PART_WORDS, type Part } from './filter-state.ts';

interface RankedListProps {
  part: Part;
  ranked: readonly Ranked[];
  chosen: readonly string[] | undefined;
  onToggle: (value: string) => void;
}

const KINDS: Readonly<Record<Part, string>> = { users: 'email', countries: 'country', ips: 'ip' };
const regions = new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'none' });

function countryName(code: string): string | null {
  try {
    return /^[A-Z]{2}$/.test(code) ? (regions.of(code) ?? null) : null;
  } catch {
    return null;
  }
}

/** Values of one column by their logins under all other parts of the filter; a tick filters. */
export function RankedList({ part, ranked, chosen, onToggle }: RankedListProps): JSX.Element {
  const most = ranked[0]?.logins ?? 1;
  const word = PART_WORDS[part];
  if (ranked.length === 0)
    return (
      <EmptyState small title="None" reason={`No login under this filter names its ${word.toLowerCase()}.`} />
    );
  return (
    <table className="pp-ranked">
      <thead>
        <tr>
          <th scope="col">
            <span className="pp-visually-hidden">Filter</span>
          </th>
          <th scope="col">{word}</th>
          <th scope="col" className="pp-num">
            Logins
          </th>
        </tr>
      </thead>
      <tbody>
        {ranked.map(({ value, logins, rarest }) => (
          <tr key={value} className={chosen?.includes(value) ? 'pp-ranked-chosen' : undefined}>
            <td>
              <input
                type="checkbox"
                aria-label={`Filter for ${value}`}
                checked={chosen?.includes(value) ?? false}
                onChange={() => onToggle(value)}
              />
            </td>
            <td>
              <span className="pp-ranked-value">
                <span
                  className={`pp-rar pp-rar-${rarest}`}
                  title={rarest === 4 ? 'Has a single login from a place' : undefined}
                />
                <EntityValue
                  entity={{ kind: KINDS[part], value, field: part }}
                  truncate
                  plain={part === 'countries'}
                />
                {part === 'countries' ? (
                  <span className="pp-t3 pp-ellipsis">{visibleText(countryName(value) ?? '')}</span>
                ) : null}
              </span>
              <span className="pp-ranked-bar" style={{ width: `${(logins / most) * 100}%` }} />
            </td>
            <td className="pp-num">{exact(logins)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
