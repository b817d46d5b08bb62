import { Document, WarningSign } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { FILE, hint, RESPONSE } from '#renderer/commands/keys.ts';
import { DebugLinksPanel } from '#renderer/entity/debug-links-panel.tsx';
import { DownloadDialog } from '#renderer/entity/download-dialog.tsx';
import { EntityHead } from '#renderer/entity/entity-head.tsx';
import { EntityParts } from '#renderer/entity/entity-parts.tsx';
import { EventsPanel } from '#renderer/entity/events-panel.tsx';
import { FactsPanel } from '#renderer/entity/facts-panel.tsx';
import { FindingsPanel } from '#renderer/entity/findings-panel.tsx';
import { PermissionsPanel } from '#renderer/entity/permissions-panel.tsx';
import { recordHints, useRecord } from '#renderer/entity/record-navigation.tsx';
import { SharedProblem } from '#renderer/entity/shared-problem.tsx';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { EntityTimeline } from '#renderer/entity/timeline-panel.tsx';
import { usePolling } from '#renderer/entity/use-polling.ts';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { setTabPart, useTabPart } from '#renderer/state/tabs.ts';
import { TRICKY_NAME } from '#renderer/ui/file-name.tsx';
import type { TabInfo } from '#renderer/ui/tabs-strip.tsx';
import { isTrickyName, visibleName } from '#shared/model/format.ts';
import { FileActions } from './file-actions.tsx';
import { fileFacts } from './file-facts.tsx';
import { TAB_LABELS } from './labels.ts';
import { type FileResponse, FileResponseDialog, useResponse } from './response.tsx';
import { type FileReads, useFile } from './use-file.ts';
import { fileVerdictLine } from './verdict-line.ts';
import './file.css';

const FILE_TABS = ['overview', 'stack', 'permissions', 'events', 'findings', 'debug'] as const;
export type FileTab = (typeof FILE_TABS)[number];

/** The tabs with the counts that are known; an unknown count is omitted, never shown as zero. */
function tabInfos(file: FileReads): TabInfo<FileTab>[] {
  const counts: Partial<Record<FileTab, TabInfo<FileTab>['count']>> = {
    stack: file.tools.stack?.rows.length,
    permissions: file.people,
    events: file.events.isAtLeast ? null : file.events.total,
  };
  return FILE_TABS.map((id) => ({ id, label: TAB_LABELS[id], count: counts[id] }));
}

/** A file's profile has no fields to build a timeline from. */
const NOTHING = () => null;

interface PartProps {
  tab: FileTab;
  file: FileReads;
  go: (tab: FileTab) => void;
  /** Opens the dialog for the identifier, or null if it cannot be set. */
  onIdentify: (() => void) | null;
}

function Overview({ file, go, onIdentify }: PartProps): JSX.Element {
  return (
    <div className="en-overview">
      <FactsPanel
        read={file.profile}
        noun="file"
        factsOf={(profile, times) => fileFacts(profile, { ...times, file, onIdentify })}
      />
      <div className="en-middle">
        <StackTable source={file.tools} noun="file" />
        <PermissionsPanel of={permissionsOf(file)} onAll={() => go('permissions')} />
      </div>
      <EntityTimeline
        events={file.events}
        pending={file.pending}
        fallback={NOTHING}
        first="newest"
        noun="file"
        onAll={() => go('events')}
      />
    </div>
  );
}

const permissionsOf = ({ saas, entityId }: FileReads) => ({ type: 'file' as const, saas, entityId });

function FileHead(props: {
  file: FileReads;
  title: string | undefined;
  tabId: string;
  response: FileResponse;
  place: ListPlace | null;
  onDownload: () => void;
}): JSX.Element {
  const { file, response, place, onDownload } = props;
  const { profile, tools, held } = file;
  const { data } = profile;
  const title = data ? data.title || '(no title)' : (props.title ?? 'File');
  return (
    <EntityHead
      noun="file"
      tabId={props.tabId}
      of={{ kind: 'file', saas: file.saas, entityId: file.entityId }}
      title={visibleName(title)}
      icon={
        isTrickyName(title) ? (
          <span className="pp-caution" title={TRICKY_NAME}>
            <WarningSign size={16} title={TRICKY_NAME} />
          </span>
        ) : (
          <Document size={16} />
        )
      }
      profile={profile}
      tools={tools}
      line={tools.stack ? fileVerdictLine(tools.stack, data, { held, people: file.people }) : null}
      word={data?.verdict}
      actions={<FileActions file={file} response={response} place={place} onDownload={onDownload} />}
    />
  );
}

const HINTS = recordHints([
  hint('act', RESPONSE.act),
  hint('download', FILE.download),
  hint('copy hashes', FILE.copy),
]);

function Part(props: PartProps): JSX.Element {
  const { tab, file } = props;
  switch (tab) {
    case 'overview':
      return <Overview {...props} />;
    case 'stack':
      return <StackTable source={file.tools} noun="file" full className="en-fill" />;
    case 'permissions':
      return <PermissionsPanel of={permissionsOf(file)} full />;
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
  const { data } = file.profile;
  const isRead = data !== undefined && file.events.first.freshness !== null;
  const place = useRecord(tabId, 'file', data && (data.title || '(no title)'), isRead, HINTS);
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
      <SharedProblem reads={file.all} onRetry={file.refreshAll}>
        <EntityParts
          noun="file"
          tabId={tabId}
          parts={tabInfos(file)}
          part={tab}
          render={(part) => (
            <Part key={route.entityId} tab={part} file={file} go={go} onIdentify={identify} />
          )}
        />
      </SharedProblem>
      <FileResponseDialog file={file} sending={response} />
      {downloading === route.entityId ? (
        <DownloadDialog
          entityType="file"
          entityId={file.entityId}
          name={data?.title ?? ''}
          onClose={() => setDownloading(null)}
        />
      ) : null}
    </>
  );
}
