import { Button } from '@blueprintjs/core';
import { Component, type JSX, memo, type ReactNode, useMemo } from 'react';
import { openScreen } from '#renderer/state/navigation.ts';
import { TabContext } from '#renderer/state/tab-context.ts';
import { closeTab, useTabs } from '#renderer/state/tabs.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { SkeletonRows, useDelayed } from '#renderer/ui/skeleton.tsx';
import type { Tab } from '#shared/bridge/workspace.ts';
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

/** Tabs kept alive behind the one in front; older ones are built again when they come back. */
const MOUNTED = 8;

function Waiting(): JSX.Element | null {
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

const TabBody = memo(function TabBody({ tab, isActive }: { tab: Tab; isActive: boolean }): JSX.Element {
  const place = useMemo(() => ({ tabId: tab.id, isActive }), [tab.id, isActive]);
  return (
    <TabContext value={place}>
      <div
        className="pp-screen"
        role="tabpanel"
        id={`screen-panel-${tab.id}`}
        aria-labelledby={`screen-tab-${tab.id}`}
        hidden={!isActive}
        data-screen={tab.route.screen}
      >
        <ScreenBoundary title={tab.title} onClose={() => closeTab(tab.id)}>
          <Content tab={tab} />
        </ScreenBoundary>
      </div>
    </TabContext>
  );
});

/** The screens of the last few tabs, one of them in front. */
export function ScreenHost(): JSX.Element {
  const tabs = useTabs((store) => store.tabs);
  const active = useTabs((store) => store.active);
  const recent = useTabs((store) => store.recent);
  const alive = new Set(recent.slice(0, MOUNTED));
  return (
    <main className="pp-screens" id="screens">
      {tabs
        .filter(({ id }) => alive.has(id) || id === active)
        .map((tab) => (
          <TabBody key={tab.id} tab={tab} isActive={tab.id === active} />
        ))}
    </main>
  );
}
