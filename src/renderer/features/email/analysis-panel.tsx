import { MenuItem } from '@blueprintjs/core';
import { Clipboard, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { panelState } from '#renderer/entity/panel-state.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { HeaderAnalysisView } from './header-analysis.tsx';
import type { EmailReads } from './use-email.ts';

interface AnalysisPanelProps {
  email: EmailReads;
  /** Opens the raw headers; left away on the tab that shows them. */
  onRaw?: () => void;
  full?: boolean;
}

/** What the headers say, worked out on this machine. */
export function AnalysisPanel({ email, onRaw, full = false }: AnalysisPanelProps): JSX.Element {
  const { headers, parsed } = email;
  const raw = headers.data?.raw;
  return (
    <Panel
      title="Header analysis"
      count="done on this machine"
      {...panelState(headers)}
      rows={6}
      shownInstead="The analysis below is of an older copy."
      notKnown="Whether the sender is genuine is not known."
      className={full ? 'en-fill' : ''}
      empty={
        parsed && parsed.headers.headers.length === 0
          ? { title: 'No headers', reason: 'The service gave an empty header block for this email.' }
          : null
      }
      actions={
        onRaw ? (
          <button type="button" className="pp-link" onClick={onRaw}>
            Raw headers
          </button>
        ) : null
      }
      menu={
        <>
          <MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={headers.refresh} />
          <MenuItem
            text="Copy the findings"
            icon={<Clipboard size={14} />}
            disabled={parsed === null}
            onClick={() =>
              void copyText(
                parsed?.analysis.summary.map(({ text }) => text).join('\n') ?? '',
                'Findings copied',
              )
            }
          />
          <MenuItem
            text="Copy raw headers"
            icon={<Clipboard size={14} />}
            disabled={raw === undefined}
            onClick={() => void copyText(raw ?? '', 'Headers copied')}
          />
        </>
      }
    >
      {parsed && parsed.headers.headers.length > 0 ? (
        <HeaderAnalysisView
          analysis={parsed.analysis}
          lines={full ? 200 : 2}
          hops={full ? 500 : 8}
          {...(onRaw ? { onMore: onRaw } : {})}
        />
      ) : null}
    </Panel>
  );
}
