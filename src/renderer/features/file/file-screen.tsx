import { type JSX, useEffect, useState } from 'react';
import { DebugLinksPanel } from '#renderer/entity/debug-links-panel.tsx';
import { DownloadDialog } from '#renderer/entity/download-dialog.tsx';
import { EntityParts } from '#renderer/entity/entity-parts.tsx';
import { EventsPanel } from '#renderer/entity/events-panel.tsx';
import { FindingsPanel } from '#renderer/entity/findings-panel.tsx';
import {
  recordHints,
  usePrefetch,
  useRecordNavigation,
  useRecordStatus,
} from '#renderer/entity/record-navigation.tsx';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { usePolling } from '#renderer/entity/use-polling.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { setTabPart, setTabTitle, useTabPart } from '#renderer/state/tabs.ts';
import { visibleText } from '#shared/model/format.ts';
import './file.css';
import { FileHead } from './file-head.tsx';
import { Overview } from './overview.tsx';
import { PermissionsPanel } from './permissions-panel.tsx';
import { FileResponseDialog } from './response-preview.tsx';
import { FILE_TABS, type FileTab, tabInfos } from './tabs.ts';
import { type FileReads, useFile } from './use-file.ts';
import { useResponse } from './use-response.ts';

const HINTS = recordHints([
  { keys: 'A', text: 'act' },
  { keys: 'D', text: 'download' },
  { keys: 'C', text: 'copy hashes' },
]);

function Part(props: {
  tab: FileTab;
  file: FileReads;
  go: (tab: FileTab) => void;
  onIdentify: (() => void) | null;
}): JSX.Element {
  const { tab, file, go } = props;
  switch (tab) {
    case 'overview':
      return <Overview file={file} go={go} onIdentify={props.onIdentify} />;
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
  const tab = useTabPart(tabId, FILE_TABS);
  const go = (next: FileTab) => setTabPart(tabId, next);
  const [downloading, setDownloading] = useState<string | null>(null);
  const title = file.profile.data?.title;
  useEffect(() => {
    if (title !== undefined) setTabTitle(tabId, visibleText(title).slice(0, 120) || '(no title)');
  }, [title, tabId]);
  const place = useRecordNavigation(tabId, 'file');
  usePrefetch(place, file.profile.data !== undefined && file.events.first.freshness !== null);
  useRecordStatus(place, 'file', HINTS);
  usePolling({
    stack: file.tools.stack,
    pending: file.pending,
    requested: false,
    online: file.sendRefusal === null,
    reads: [file.profile, file.props, file.tools.scans, file.events.first],
  });
  const identify = response.refusal('identify') === null ? () => response.start('identify') : null;
  return (
    <>
      <FileHead
        file={file}
        title={route.title}
        tabId={tabId}
        response={response}
        place={place}
        onDownload={() => setDownloading(route.entityId)}
      />
      <EntityParts noun="file" tabId={tabId} parts={tabInfos(file)} part={tab}>
        <Part key={route.entityId} tab={tab} file={file} go={go} onIdentify={identify} />
      </EntityParts>
      <FileResponseDialog file={file} sending={response} />
      {downloading === route.entityId ? (
        <DownloadDialog
          entityType="file"
          entityId={file.entityId}
          name={title ?? ''}
          onClose={() => setDownloading(null)}
        />
      ) : null}
    </>
  );
}
