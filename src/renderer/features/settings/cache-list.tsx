import { Pin, Trash, Unpin } from '@blueprintjs/icons';
import { Fragment, type JSX } from 'react';
import { scrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import type { Connection, OutputOf } from '#shared/bridge/operations.ts';
import { bytes, exact, plural, shortAge, timeAgo } from '#shared/model/format.ts';

export type CacheContents = OutputOf<'cache.list'>;
export type CachedResult = CacheContents['results'][number];

interface Group {
  connectionId: string;
  name: string;
  results: CachedResult[];
  answers: CacheContents['answers'][number] | null;
  bytes: number;
}

/** Cached data by connection, the largest first; within one, the most recently used first. */
function groupsOf(contents: CacheContents, connections: readonly Connection[]): Group[] {
  const ids = new Set([
    ...contents.results.map(({ connectionId }) => connectionId),
    ...contents.answers.map(({ connectionId }) => connectionId),
  ]);
  return [...ids]
    .map((connectionId) => {
      const results = contents.results.filter((result) => result.connectionId === connectionId);
      const answers = contents.answers.find((answer) => answer.connectionId === connectionId) ?? null;
      return {
        connectionId,
        name: connections.find(({ id }) => id === connectionId)?.name ?? 'Removed connection',
        results,
        answers,
        bytes: results.reduce((sum, result) => sum + result.bytes, 0) + (answers?.bytes ?? 0),
      };
    })
    .sort((a, b) => b.bytes - a.bytes);
}

const nameOf = ({ label, kind }: CachedResult): string =>
  `${label ?? 'Untitled query'}${kind === 'comparison' ? ', comparison' : ''}`;

function stateWords({ state, rows, total, current, kind }: CachedResult): string {
  const amount = state === 'complete' ? exact(rows) : `${exact(rows)} of ${exact(total)}`;
  const words = { complete: '', partial: 'PARTIAL', paused: 'paused, incomplete', filling: 'fetching' }[
    state
  ];
  return [`${amount} rows`, words, current || kind === 'comparison' ? '' : 'earlier run']
    .filter(Boolean)
    .join(' · ');
}

function ResultRow(props: {
  result: CachedResult;
  now: number;
  onPin: (result: CachedResult) => void;
  onRemove: (result: CachedResult) => void;
}): JSX.Element {
  const { result, now, onPin, onRemove } = props;
  const name = nameOf(result);
  return (
    <tr data-result={result.resultId}>
      <td>
        <span className="pp-ellipsis" title={name}>
          {name}
        </span>
        <small className={result.state === 'partial' ? 'pp-caution' : 'pp-t3'}>{stateWords(result)}</small>
      </td>
      <td className="pp-cache-number">{bytes(result.bytes)}</td>
      <td className="pp-cache-number pp-t2" title={`Fetched ${timeAgo(result.fetchedAt, now)}`}>
        {timeAgo(result.usedAt, now)}
      </td>
      <td className="pp-cache-acts">
        <IconButton
          small
          active={result.pinned}
          icon={result.pinned ? <Unpin size={12} /> : <Pin size={12} />}
          label={result.pinned ? `Unpin ${name}` : `Pin ${name}`}
          onClick={() => onPin(result)}
        />
        <IconButton
          small
          icon={<Trash size={12} />}
          disabled={result.busy}
          label={result.busy ? `${name} is in use` : `Remove ${name}`}
          onClick={() => onRemove(result)}
        />
      </td>
    </tr>
  );
}

export function CacheList(props: {
  contents: CacheContents;
  connections: readonly Connection[];
  onPin: (result: CachedResult) => void;
  onRemove: (result: CachedResult) => void;
}): JSX.Element {
  const now = useNow();
  const groups = groupsOf(props.contents, props.connections);
  return (
    <div ref={scrollStop} className="pp-cache-list">
      <table>
        <thead>
          <tr>
            <th scope="col">Saved</th>
            <th scope="col" className="pp-cache-number">
              Size
            </th>
            <th scope="col" className="pp-cache-number">
              Last used
            </th>
            <th scope="col">
              <span className="pp-visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Fragment key={group.connectionId}>
              <tr className="pp-cache-group">
                <th scope="rowgroup" className="pp-ellipsis">
                  {group.name}
                </th>
                <td className="pp-cache-number">{bytes(group.bytes)}</td>
                <td colSpan={2} />
              </tr>
              {group.results.map((result) => (
                <ResultRow
                  key={result.resultId}
                  result={result}
                  now={now}
                  onPin={props.onPin}
                  onRemove={props.onRemove}
                />
              ))}
              {group.answers ? (
                <tr>
                  <td>
                    {plural(group.answers.count, 'cached response')}
                    <small className="pp-t3">Profiles, queries, statistics</small>
                  </td>
                  <td className="pp-cache-number">{bytes(group.answers.bytes)}</td>
                  <td className="pp-cache-number pp-t2">
                    {group.answers.oldestAt === null ? '' : `oldest ${shortAge(group.answers.oldestAt, now)}`}
                  </td>
                  <td />
                </tr>
              ) : null}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
