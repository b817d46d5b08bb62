import { Button } from '@blueprintjs/core';
import { ArrowLeft, Edit, More, Play, Stop } from '@blueprintjs/icons';
import { type JSX, useEffect, useRef, useState } from 'react';
import { CommandButton } from '#renderer/commands/command.tsx';
import { cap } from '#renderer/commands/keys.ts';
import { updateDraft } from '#renderer/state/drafts.ts';
import { setTabTitle } from '#renderer/state/tabs.ts';
import { focusWork } from '#renderer/ui/focus.ts';
import { Select } from '#renderer/ui/form/field.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { useDelayed } from '#renderer/ui/skeleton.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import { visibleText } from '#shared/model/format.ts';
import { scheduleWords } from '#shared/model/schedule.ts';
import { queryFieldLabel } from '#shared/query/import-plan.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { DomainIcon } from '../../../ui/domain-icon.tsx';
import { editQuery } from '../draft-edit.ts';
import { NEW_QUERY, SHOWN_OPTIONS } from '../labels.ts';
import { EVERY_APP, hasReport, showsReport } from '../query-run.ts';
import type { SaveProblem } from '../save-problems.ts';
import { DOMAIN_CHOICES, useSaasChoices } from '../use-config.ts';
import type { QueryCommands } from './query-commands.ts';
import type { QueryDialog } from './query-dialogs.tsx';
import { QueryMenu } from './query-menu.tsx';

function NameField({
  draft,
  tabId,
  invalid,
}: {
  draft: Draft;
  tabId: string;
  invalid: boolean;
}): JSX.Element {
  const { name } = draft.query;
  const [text, setText] = useState(name);
  const shown = useRef(name);
  // A name changed elsewhere replaces the shown one, but not text being typed.
  useEffect(() => {
    const was = shown.current;
    shown.current = name;
    setText((now) => (now === was ? name : now));
  }, [name]);
  const commit = () => {
    const next = text.trim().slice(0, 200);
    if (next !== name) editQuery(draft.id, (query) => ({ ...query, name: next }));
    setTabTitle(tabId, next || NEW_QUERY);
  };
  return (
    <h1 className="pp-query-name" aria-label={text || NEW_QUERY} data-value={text || 'Name this query'}>
      <input
        className="pp-title"
        aria-label="Query name"
        aria-invalid={invalid}
        placeholder="Name this query"
        spellCheck={false}
        size={1}
        value={text}
        title={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') focusWork();
          if (event.key === 'Escape') setText(name);
        }}
      />
    </h1>
  );
}

/** The link back to the email, rows or figure that the query came from. */
function BackButton({
  origin,
  back,
}: Pick<Draft, 'origin'> & Pick<QueryCommands, 'back'>): JSX.Element | null {
  if (!origin) return null;
  return (
    <Button
      size="small"
      variant="minimal"
      className="pp-query-back"
      icon={<ArrowLeft size={14} />}
      text={<span className="pp-ellipsis">{visibleText(origin.title)}</span>}
      aria-label={back.text}
      title={`${back.text} (${cap(back)})`}
      onClick={back.run}
    />
  );
}

function SourceSelects({ draft }: { draft: Draft }): JSX.Element {
  const { query } = draft;
  const apps = useSaasChoices(query.saas);
  const domains = DOMAIN_CHOICES.some(({ value }) => value === query.domain)
    ? DOMAIN_CHOICES
    : [...DOMAIN_CHOICES, { value: query.domain, label: query.domain }];
  return (
    <>
      <Select
        aria-label="Entity type"
        value={query.domain}
        options={domains}
        onChange={(value) =>
          // Other entity types have other fields, so conditions and columns are cleared (Ctrl Z restores them).
          editQuery(draft.id, (before) => ({
            ...before,
            domain: value,
            entityType: value,
            filter: emptyGroup(),
            columns: [],
            sort: [],
          }))
        }
      />
      <Select
        aria-label="App"
        value={query.saas || EVERY_APP}
        options={apps}
        onChange={(value) =>
          editQuery(draft.id, (before) => ({ ...before, saas: value === EVERY_APP ? null : value }))
        }
      />
    </>
  );
}

/** Long enough that the second click of a double click on Run does not stop it. */
const STOP_AFTER_MS = 1000;

/** Runs the query; a run that takes long can be stopped. */
function RunButton(props: { running: boolean; run: QueryCommands['run']; onStop: () => void }): JSX.Element {
  const { running, run, onStop } = props;
  const long = useDelayed(running, STOP_AFTER_MS);
  if (long)
    return (
      <Button
        icon={<Stop size={14} />}
        text="Stop"
        onClick={() => {
          onStop();
          focusWork();
        }}
      />
    );
  return (
    <Button
      intent="primary"
      icon={<Play size={14} />}
      loading={running}
      onClick={run.run}
      text="Run"
      endIcon={<Kbd keys={cap(run)} />}
    />
  );
}

export function QueryHeader(props: {
  draft: Draft;
  tabId: string;
  dirty: boolean;
  running: boolean;
  /** The service's refusal of the last save. */
  problem: SaveProblem | null;
  commands: QueryCommands;
  onOpen: (dialog: QueryDialog) => void;
  onStop: () => void;
}): JSX.Element {
  const { draft, tabId, dirty, running, problem, commands, onOpen, onStop } = props;
  const { query, savedId } = draft;
  const { wide } = useBreakpoint();
  const { scheduledExport } = query;
  return (
    <header className="pp-page-header pp-query-header">
      <div className="pp-page-header-lead">
        <BackButton origin={draft.origin} back={commands.back} />
        <DomainIcon domain={query.domain} />
        <NameField draft={draft} tabId={tabId} invalid={problem?.field === 'name'} />
        {problem ? (
          <span
            className="pp-query-name-problem pp-small pp-danger pp-ellipsis"
            role="alert"
            title={problem.message}
          >
            {problem.field === 'name' ? '' : `${queryFieldLabel(problem.field)}: `}
            {problem.message}
          </span>
        ) : null}
        {dirty ? (
          <span className="pp-query-edited">
            <Edit size={12} />
            Edited
          </span>
        ) : null}
      </div>
      <div className="pp-page-header-actions">
        {hasReport(query) ? (
          <Segmented
            label="Run as"
            options={SHOWN_OPTIONS}
            value={showsReport(draft) ? 'report' : 'query'}
            onChange={(shown) => updateDraft(draft.id, { asReport: shown === 'report' })}
          />
        ) : null}
        <SourceSelects draft={draft} />
        <span className="pp-divider" />
        <CommandButton command={commands.save} />
        {wide && query.subType !== 'template' ? (
          <CommandButton
            command={{
              ...commands.schedule,
              label: scheduledExport ? 'Scheduled' : 'Schedule',
              title: scheduledExport ? scheduleWords(scheduledExport) : undefined,
            }}
          />
        ) : null}
        {wide && savedId !== null ? (
          <CommandButton command={{ ...commands.exportQuery, label: 'Export query' }} />
        ) : null}
        <MenuPopover
          content={<QueryMenu draft={draft} commands={commands} onOpen={onOpen} />}
          // Menu items open dialogs, which take the focus.
          placement="bottom-end"
        >
          <IconButton outlined icon={<More size={14} />} label="More actions" />
        </MenuPopover>
        <RunButton running={running} run={commands.run} onStop={onStop} />
      </div>
    </header>
  );
}
