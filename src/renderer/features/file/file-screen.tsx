import { type JSX, useEffect, useState } from 'react';
import { DebugLinksPanel } from '#renderer/entity/debug-links-panel.tsx';
import { DownloadDialog } from '#renderer/entity/download-dialog.tsx';
import { EventsPanel } from '#renderer/entity/events-panel.tsx';
import { FindingsPanel } from '#renderer/entity/findings-panel.tsx';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { type ScreenProps, useTabStatus } from '#renderer/state/tab-context.ts';
import { setTabTitle } from '#renderer/state/tabs.ts';
import type { Hint } from '#renderer/ui/kbd.tsx';
import { TabsStrip } from '#renderer/ui/tabs-strip.tsx';
import { visibleText } from '#shared/model/format.ts';
import './file.css';
import { FileHead } from './file-head.tsx';
import { Overview } from './overview.tsx';
import { PermissionsPanel } from './permissions-panel.tsx';
import { FileResponseDialog } from './response-dialog.tsx';
import { type FileTab, tabInfos } from './tabs.ts';
import { type FileReads, useFile } from './use-file.ts';
import { useResponse } from './use-response.ts';
import { useSettling } from './use-settling.ts';

const HINTS: readonly Hint[] = [
  { keys: 'A', text: 'act' },
  { keys: 'D', text: 'download' },
  { keys: 'C', text: 'copy hashes' },
];
/** The part of each profile that was open last, for screens that are built again. */
const lastTab = new Map<string, FileTab>();

function Part({ tab, file, go }: { tab: FileTab; file: FileReads; go: (tab: FileTab) => void }): JSX.Element {
  switch (tab) {
    case 'overview':
      return <Overview file={file} go={go} />;
    case 'stack':
      return <StackTable source={file.tools} noun="file" full className="en-fill" />;
    case 'permissions':
      return <PermissionsPanel file={file} full />;
    case 'events':
      return <EventsPanel events={file.events} noun="file" />;
    case 'findings':
      return <FindingsPanel entityId={file.entityId} noun="file" />;
    case 'debug':
      return <DebugLinksPanel entityId={file.entityId} noun="file" />;
  }
}

/** The profile of one file; every part loads, ages and fails by itself. */
export default function FileScreen({ route, tabId }: ScreenProps<'file'>): JSX.Element {
  const file = useFile(route.saas, route.entityId);
  const response = useResponse(file);
  useSettling(file);
  const [tab, setTab] = useState<FileTab>(lastTab.get(tabId) ?? 'overview');
  const [downloading, setDownloading] = useState(false);
  const go = (next: FileTab) => {
    lastTab.set(tabId, next);
    setTab(next);
  };
  const title = file.profile.data?.title;
  useEffect(() => {
    if (title !== undefined) setTabTitle(tabId, visibleText(title).slice(0, 120) || '(no title)');
  }, [title, tabId]);
  useTabStatus({ hints: HINTS });
  const prefix = `file-${tabId}`;
  return (
    <>
      <FileHead file={file} title={route.title} response={response} onDownload={() => setDownloading(true)} />
      <TabsStrip
        label="Parts of the file"
        tabs={tabInfos(file)}
        selected={tab}
        onSelect={go}
        idPrefix={prefix}
      />
      <div
        className="fi-part"
        role="tabpanel"
        id={`${prefix}-panel-${tab}`}
        aria-labelledby={`${prefix}-tab-${tab}`}
      >
        <Part tab={tab} file={file} go={go} />
      </div>
      <FileResponseDialog file={file} response={response} />
      {downloading ? (
        <DownloadDialog
          entityType="file"
          entityId={file.entityId}
          name={title ?? ''}
          onClose={() => setDownloading(false)}
        />
      ) : null}
    </>
  );
}
