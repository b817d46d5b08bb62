import { Button } from '@blueprintjs/core';
import {
  Component,
  type JSX,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { LeftOutContext, ShownContext } from '#renderer/bridge/use-read.ts';
import { useKeysAhead } from '#renderer/state/hotkeys.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { LEAST_PANE, tooNarrow } from '#renderer/state/split.ts';
import { TabContext } from '#renderer/state/tab-context.ts';
import { activateTab, closeTab, setSplitShare, useTabs } from '#renderer/state/tabs.ts';
import { CautionBar } from '#renderer/ui/caution-bar.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { focusWork, screenInFront } from '#renderer/ui/focus.ts';
import { tellFrontChange } from '#renderer/ui/front-change.ts';
import { openDialogs } from '#renderer/ui/open-dialogs.ts';
import { SkeletonRows, useDelayed } from '#renderer/ui/skeleton.tsx';
import { Splitter } from '#renderer/ui/splitter.tsx';
import { NarrowContext } from '#renderer/ui/use-breakpoint.ts';
import type { LeftOut } from '#shared/api/repair.ts';
import type { Tab } from '#shared/bridge/workspace.ts';
import { leftOutWords } from './labels.ts';
import { useScreen } from './screens.tsx';

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Keeps the failure of one screen to its tab. */
class ScreenBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="pp-screen-failed">
        <ErrorState
          title={`${this.props.title} stopped working`}
          error={{ code: 'internal', message: error.message, retryable: true }}
          notKnown="Saved work is safe, and other tabs still work."
          onRetry={() => this.setState({ error: null })}
        />
        <Button text="Close tab" variant="minimal" onClick={this.props.onClose} />
      </div>
    );
  }
}

/** Number of background tabs that stay mounted; older ones are rebuilt when they return to the front. */
const MOUNTED = 8;

function Waiting(): JSX.Element | null {
  useKeysAhead();
  const late = useDelayed(true);
  return late ? <SkeletonRows rows={8} /> : null;
}

function NoSuchScreen({ tab }: { tab: Tab }): JSX.Element {
  return (
    <EmptyState
      title={`${tab.title} isn’t available in this version`}
      reason="This tab was saved by another version of Parapet."
      action={
        <>
          <Button text="Close tab" onClick={() => closeTab(tab.id)} />
          <Button text="Go to Home" onClick={() => openScreen('home')} />
        </>
      }
    />
  );
}

function Content({ tab }: { tab: Tab }): JSX.Element {
  const Screen = useScreen(tab.route.screen);
  if (Screen === undefined) return <NoSuchScreen tab={tab} />;
  return Screen ? <Screen route={tab.route} tabId={tab.id} /> : <Waiting />;
}

interface LeftOutEntries {
  endpoint: string;
  left: readonly LeftOut[];
}

/** Says above a screen which entries of the service's answers could not be read. */
function LeftOutNotes({ children }: { children: ReactNode }): JSX.Element {
  const [reports, setReports] = useState<ReadonlyMap<string, LeftOutEntries>>(new Map());
  const tell = useCallback((reader: string, next: LeftOutEntries | null) => {
    setReports((before) => {
      const after = new Map(before);
      if (next === null) after.delete(reader);
      else after.set(reader, next);
      return after;
    });
  }, []);
  const notes = new Set(
    [...reports.values()].flatMap(({ endpoint, left }) => left.map((item) => leftOutWords(endpoint, item))),
  );
  return (
    <LeftOutContext value={tell}>
      {notes.size === 0 ? null : <CautionBar>{[...notes].join(' ')}</CautionBar>}
      {children}
    </LeftOutContext>
  );
}

interface BodyProps {
  tab: Tab;
  isActive: boolean;
  isShown: boolean;
  /** In split view: which side this is, and the width of the left one. */
  side: 'left' | 'right' | null;
  width: number;
}

const TabBody = memo(function TabBody(props: BodyProps): JSX.Element {
  const { tab, isActive, isShown, side, width } = props;
  const place = useMemo(() => ({ tabId: tab.id, isActive, isShown }), [tab.id, isActive, isShown]);
  return (
    <TabContext value={place}>
      <div
        className="pp-screen"
        role="tabpanel"
        id={`screen-panel-${tab.id}`}
        aria-labelledby={`screen-tab-${tab.id}`}
        hidden={!isShown}
        tabIndex={-1}
        data-front={isActive || undefined}
        data-screen={tab.route.screen}
        data-side={side ?? undefined}
        style={side === 'left' ? { flex: 'none', width } : undefined}
        // In split view, focus moves the keys to the other tab. A menu that closes late in a hidden tab must not take
        // them.
        onFocus={isActive || !isShown ? undefined : () => activateTab(tab.id)}
      >
        <ShownContext value={isShown}>
          <NarrowContext value={side !== null}>
            <ScreenBoundary title={tab.title} onClose={() => closeTab(tab.id)}>
              <LeftOutNotes>
                <Content tab={tab} />
              </LeftOutNotes>
            </ScreenBoundary>
          </NarrowContext>
        </ShownContext>
      </div>
    </TabContext>
  );
});

/** Width available to screens in px, rounded down; 0 until measured. */
function useRoom(): [RefObject<HTMLElement | null>, number] {
  const root = useRef<HTMLElement>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const { current } = root;
    if (current === null) return undefined;
    const measure = () => setRoom(Math.floor(current.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [root, room];
}

/** The screens of the last few tabs, one of them in front, or two beside each other. */
export function ScreenHost(): JSX.Element {
  const { tabs, active, recent, split } = useTabs();
  const [root, room] = useRoom();
  const [dragged, setDragged] = useState<number | null>(null);
  const fits = room >= 2 * LEAST_PANE;
  const sides = split !== null && fits ? split : null;
  const most = room - LEAST_PANE;
  const width = Math.min(most, Math.max(LEAST_PANE, Math.round(dragged ?? room * (split?.share ?? 0))));
  const shownIds = sides ? [sides.left, sides.right] : [active];
  const alive = new Set([...recent.slice(0, MOUNTED), ...shownIds]);
  const front = tabs.find(({ id }) => id === active);
  useLayoutEffect(() => {
    if (front?.route) tellFrontChange();
  }, [front?.route]);
  useLayoutEffect(() => {
    // A screen that opens behind a dialog must not take the focus from it, and a screen that already has the focus
    // keeps it.
    if (active !== null && openDialogs().length === 0 && !screenInFront()?.contains(document.activeElement))
      focusWork();
  }, [active]);
  return (
    <main className="pp-screens" id="screens" ref={root} data-split={sides ? true : undefined}>
      {split !== null && room > 0 && !fits ? (
        <p className="pp-caution-bar pp-screens-narrow" role="status">
          {tooNarrow(room)}
        </p>
      ) : null}
      {tabs
        .filter(({ id }) => alive.has(id))
        .map((tab) => (
          <TabBody
            key={tab.id}
            tab={tab}
            isActive={tab.id === active}
            isShown={shownIds.includes(tab.id)}
            side={tab.id === sides?.left ? 'left' : tab.id === sides?.right ? 'right' : null}
            width={tab.id === sides?.left ? width : 0}
          />
        ))}
      {sides ? (
        <div className="pp-screens-edge">
          <Splitter
            label="Width of the left tab"
            width={width}
            min={LEAST_PANE}
            max={most}
            side={1}
            onDrag={setDragged}
            onResize={(to) => setSplitShare(to === null ? null : to / room)}
          />
        </div>
      ) : null}
    </main>
  );
}
