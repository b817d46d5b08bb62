import { Button } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import {
  type Dispatch,
  type JSX,
  memo,
  type RefObject,
  type SetStateAction,
  startTransition,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { useEntityActions } from '#renderer/state/entity-actions.ts';
import { type ScreenProps, useTabStatus } from '#renderer/state/tab-context.ts';
import { usePayload } from '#renderer/state/tab-payload.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { type EmptyInfo, EmptyState } from '#renderer/ui/empty-state.tsx';
import {
  type EntityActions,
  EntityActionsContext,
  type EntityRef,
  type MenuAnchor,
  pointAnchor,
} from '#renderer/ui/entity-value.tsx';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { SearchBox } from '#renderer/ui/form/search-box.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Connection } from '#shared/bridge/operations.ts';
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import { plural } from '#shared/model/format.ts';
import { ChoiceMenu, choiceName } from './choice-menu.tsx';
import { type Choice, choiceAmong, type Saas, sameLayer } from './choices.ts';
import type { LoginRow, MapSummary } from './engine.ts';
import { ExportMenu } from './export-menu.tsx';
import { chipsOf, filterFor, filterOut, type Part } from './filter-state.ts';
import {
  emptyWords,
  HINTS,
  isLacking,
  loadingWords,
  MODE_OPTIONS,
  missingWords,
  partialWords,
  statusWords,
  zoomRefusal,
} from './labels.ts';
import type { LoginClient } from './login-client.ts';
import { LoginDialog } from './login-dialog.tsx';
import type { RowPlace } from './login-list.tsx';
import { MapPanel } from './map-panel.tsx';
import type { Mark } from './map-view.ts';
import type { PictureAsk } from './picture.ts';
import { RowMenu } from './row-menu.tsx';
import { SidePane } from './side-pane.tsx';
import { TableView } from './table-view.tsx';
import { TimePanel } from './time-panel.tsx';
import { type LayerRead, useLayers } from './use-layers.ts';
import { useLogins } from './use-logins.ts';
import { WeekPanel } from './week-panel.tsx';
import './login-map.css';
import './login-lists.css';

/** The window's actions for values, with filtering on the map instead of a query. */
function useLoginActions(filter: (entity: EntityRef, out: boolean) => void): EntityActions {
  const outer = useEntityActions();
  const latest = useRef(filter);
  latest.current = filter;
  return useMemo(
    () => ({
      ...outer,
      canMap: () => false,
      filterFor: (entity) => latest.current(entity, false),
      filterOut: (entity) => latest.current(entity, true),
    }),
    [outer],
  );
}

/**
 * 0 until `ready`, then one more each frame up to `most`: panels render one after the other, because hundreds of
 * elements in one frame would block the window. Later updates render all at once.
 */
function useStaggered(ready: boolean, most: number): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!ready || turn === most) return undefined;
    const frame = requestAnimationFrame(() => startTransition(() => setTurn(turn + 1)));
    return () => cancelAnimationFrame(frame);
  }, [ready, turn, most]);
  return turn;
}

interface MapSearchProps {
  filter: LoginFilter;
  onFilter: Dispatch<SetStateAction<LoginFilter>>;
}

/** Does not depend on the time range: rendering the field forces layout, which is slow while brushing. */
const looksSame = (a: MapSearchProps, b: MapSearchProps) =>
  a.onFilter === b.onFilter &&
  (Object.keys({ ...a.filter, ...b.filter }) as (keyof LoginFilter)[]).every(
    (part) => part === 'time' || a.filter[part] === b.filter[part],
  );

/** The search box, and the filter's values as chips; clicking a chip removes it. */
const MapSearch = memo(function MapSearch({ filter, onFilter }: MapSearchProps): JSX.Element {
  return (
    <div className="pp-map-search">
      <SearchBox
        className="pp-map-words"
        label="Search logins"
        placeholder="User, address or country"
        text={filter.text ?? ''}
        onText={(text) => onFilter((now) => ({ ...now, text }))}
      />
      {chipsOf(filter).map(({ id, text, rest }) => (
        <button
          type="button"
          className="pp-map-chip"
          key={id}
          aria-label={`Remove ${text}`}
          title={text}
          onClick={() => onFilter(({ time }) => ({ ...rest, time }))}
        >
          <span className="pp-ellipsis">{text}</span>
          <Cross size={12} />
        </button>
      ))}
    </div>
  );
}, looksSame);

export type Mode = 'points' | 'density' | 'table';
const NO_APPS: Saas[] = [];

/** The oldest layer determines the age shown. */
const oldest = (layers: readonly LayerRead[]) =>
  layers
    .flatMap(({ freshness }) => (freshness?.fetchedAt ? [freshness] : []))
    .sort((a, b) => (a.fetchedAt ?? 0) - (b.fetchedAt ?? 0))[0] ?? null;

/** The layers of the chosen apps and outcome, and their logins under the filter. */
function useLoginMap(filter: LoginFilter, wantsEverybody: boolean) {
  const clock = useClock();
  const apps = useRead('apps.list', {});
  const rows = apps.data?.rows;
  const saas = useMemo<Saas[]>(
    () =>
      rows?.filter((app) => app.is_saas).map(({ name, label }) => ({ module: name, label: label || name })) ??
      NO_APPS,
    [rows],
  );
  const [chosen, setChoice] = useState<Choice>('successful');
  const { all, front, withUnknown } = useLayers(saas, chosen, wantsEverybody ? null : filter);
  const choice = choiceAmong(chosen, withUnknown);
  const logins = useLogins(front, filter, clock);
  const { loaded } = logins;
  const nameOf = useCallback((module: string) => choiceName({ module }, saas), [saas]);
  const broken = useCallback(
    (layer: LayerRead) =>
      loaded?.layers.find((other) => sameLayer(other, layer) && other.error !== null)?.error ?? null,
    [loaded],
  );
  const busy = logins.busy || apps.loading;
  /** Something is missing for good. */
  const lacks = !busy && front.some((layer) => isLacking(loaded, layer));
  return { apps, saas, all, front, withUnknown, choice, setChoice, logins, nameOf, broken, busy, lacks };
}
type LoginMap = ReturnType<typeof useLoginMap>;

function MapHeader(props: {
  layers: LoginMap;
  filter: LoginFilter;
  onFilter: Dispatch<SetStateAction<LoginFilter>>;
  mode: Mode;
  onMode: (mode: Mode) => void;
  map: RefObject<PictureAsk | null>;
}): JSX.Element {
  const { filter, onFilter, mode, onMode, map } = props;
  const { saas, all, front, withUnknown, choice, setChoice, logins, nameOf, broken, busy, lacks } =
    props.layers;
  const { client, loaded, summary } = logins;
  const { wide } = useBreakpoint();
  return (
    <PageHeader
      title="Login map"
      freshness={
        <FreshnessMark
          freshness={oldest(front)}
          loading={busy}
          error={logins.problem ? { code: 'internal', message: logins.problem, retryable: true } : null}
        />
      }
      filters={
        <>
          <ChoiceMenu
            choice={choice}
            apps={saas}
            layers={all}
            withUnknown={withUnknown}
            broken={broken}
            onChoose={setChoice}
          />
          <MapSearch filter={filter} onFilter={onFilter} />
        </>
      }
      actions={
        <>
          <Segmented label="View" options={MODE_OPTIONS} value={mode} onChange={onMode} />
          <ExportMenu
            client={summary && !busy && !(lacks && summary.rows === 0) ? client : null}
            count={summary?.rows ?? 0}
            words={choiceName(choice, saas)}
            nameOf={nameOf}
            missing={missingWords(loaded, front, nameOf)}
            map={() => map.current}
            hasMap={mode !== 'table'}
            wide={wide}
          />
        </>
      }
    />
  );
}

/** A point opens its menu, a cluster that cannot be zoomed into filters for its area. */
function useMark(
  client: LoginClient | null,
  setFilter: Dispatch<SetStateAction<LoginFilter>>,
  setMenu: (menu: LoginMenu) => void,
) {
  return useCallback(
    (mark: Mark, index: { x: number; y: number }) => {
      if (mark.places > 1) {
        setFilter((now) => ({ ...now, box: mark.degrees }));
        return;
      }
      void client
        ?.ask('row', { row: mark.row })
        .then((row) => setMenu({ row, anchor: pointAnchor(index.x, index.y) }));
    },
    [client, setFilter, setMenu],
  );
}

/** What is loading, and what is missing of what is shown, or null if there is nothing. */
function waitingWords({ logins, front, saas, choice, busy }: LoginMap): string | null {
  const loading = busy ? loadingWords(choiceName(choice, saas), front) : null;
  const partial = logins.isPartial ? partialWords(logins.loaded, logins.summary, front) : null;
  return partial === null ? loading : [loading, partial].filter(Boolean).join('. ');
}

/** Why there are no logins, or null if there are some, or they are still loading. */
function whyNone({ logins, choice, saas, front, busy }: LoginMap, kind: Connection['kind'] | undefined) {
  const { loaded, summary } = logins;
  return loaded && summary?.rows === 0 && !busy
    ? emptyWords(loaded, choiceName(choice, saas), kind, front)
    : null;
}

/** `onClear` is null if no filter is to blame. */
function NoLogins(props: { why: EmptyInfo; onClear: (() => void) | null }): JSX.Element {
  const { why, onClear } = props;
  const action = onClear ? <Button size="small" text="Clear filter" onClick={onClear} /> : undefined;
  return <EmptyState small {...why} action={action} />;
}

const focusedAnchor = (): MenuAnchor =>
  document.activeElement?.getBoundingClientRect() ?? pointAnchor(200, 200);

interface LoginMenu {
  row: LoginRow;
  anchor: MenuAnchor;
}

const mapLabel = (summary: MapSummary | null, isPartial: boolean, lacks: boolean): string =>
  summary
    ? `World map of ${lacks ? 'at least ' : ''}${plural(summary.logins, 'login')} from ${plural(summary.placeCount, 'place')}${isPartial ? ' so far' : ''}`
    : 'World map, loading';

/** Map, time, hours and rankings of logins, over one filter. */
export default function LoginMapScreen(_: ScreenProps<'login-map'>): JSX.Element {
  const [mode, setMode] = useState<Mode>('points');
  const [filter, setFilter] = useState<LoginFilter>({});
  const [menu, setMenu] = useState<LoginMenu | null>(null);
  const [details, setDetails] = useState<LoginRow | null>(null);
  const map = useRef<PictureAsk | null>(null);
  const { connection } = useConnection();
  const [wantsEverybody, setWantsEverybody] = useState(false);
  const layers = useLoginMap(filter, wantsEverybody);
  const { apps, saas, all, front, logins, nameOf, broken, busy, lacks } = layers;
  const { client, loaded, summary, ask, isPartial } = logins;
  const turn = useStaggered(summary !== null, 2);
  const none = whyNone(layers, connection?.kind);
  const empty = none ? <NoLogins why={none} onClear={loaded?.rows ? () => setFilter({}) : null} /> : null;
  usePayload('login-map', true, ({ part, value }) => setFilter(filterFor({}, part, value)));
  const refused = zoomRefusal(summary, nameOf);
  const act = (part: Part, value: string, out: boolean) =>
    setFilter((now) => (out ? filterOut : filterFor)(now, part, value));
  const actions = useLoginActions((entity: EntityRef, out) => act(entity.field as Part, entity.value, out));
  const waiting = waitingWords(layers);
  const message = waiting ?? statusWords(loaded, summary, front, all);
  useTabStatus({ hints: HINTS, ...(message ? { message } : {}) });

  const openMark = useMark(client, setFilter, setMenu);
  const onWindow = useCallback((time: LoginFilter['time']) => setFilter((now) => ({ ...now, time })), []);
  const onHours = useCallback((hours: LoginFilter['hours']) => setFilter((now) => ({ ...now, hours })), []);
  const onRow = useCallback(
    ({ row, element }: RowPlace) => setMenu({ row, anchor: element.getBoundingClientRect() }),
    [],
  );

  if (apps.error && saas.length === 0)
    return <ErrorState title="The login map could not be loaded" error={apps.error} onRetry={apps.refresh} />;
  if (apps.data && saas.length === 0)
    return <EmptyState title="No apps" reason="This connection has no apps with login data." />;
  return (
    <EntityActionsContext value={actions}>
      <MapHeader
        layers={layers}
        filter={filter}
        onFilter={setFilter}
        mode={mode}
        onMode={setMode}
        map={map}
      />
      <div className="pp-login-map" aria-busy={busy} data-partial={isPartial || undefined}>
        {mode === 'table' && ask && summary ? (
          <TableView
            rows={ask.rows}
            count={summary.rows}
            empty={none}
            nameOf={nameOf}
            onOpen={(row) => setMenu({ row, anchor: focusedAnchor() })}
          />
        ) : (
          <MapPanel
            client={client}
            summary={summary}
            waiting={waiting}
            density={mode === 'density'}
            zoomRefused={refused}
            onMark={openMark}
            handle={map}
            note={none?.title ?? null}
            label={mapLabel(summary, isPartial, lacks)}
          />
        )}
        <SidePane
          summary={summary}
          ask={ask}
          filter={filter}
          onFilter={setFilter}
          layers={front}
          broken={broken}
          nameOf={nameOf}
          onRow={onRow}
          empty={empty}
          isPartial={isPartial}
          lacks={lacks}
          onEverybody={() => setWantsEverybody(true)}
        />
        <TimePanel
          histogram={turn > 0 ? (summary?.histogram ?? null) : null}
          window={filter.time}
          onWindow={onWindow}
          none={none}
        />
        <WeekPanel
          week={turn > 1 ? (summary?.week ?? null) : null}
          hours={filter.hours}
          onHours={onHours}
          none={none}
        />
      </div>
      {menu ? (
        <RowMenu
          row={menu.row}
          anchor={menu.anchor}
          onClose={() => setMenu(null)}
          onUser={(user) => setFilter({ users: [user] })}
          onFilter={act}
          onDetails={() => setDetails(menu.row)}
        />
      ) : null}
      {details ? <LoginDialog row={details} onClose={() => setDetails(null)} /> : null}
    </EntityActionsContext>
  );
}
