import { Button } from '@blueprintjs/core';
import { Cross, Document, Maximize, SearchAround } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { cap, ROWS } from '#renderer/commands/keys.ts';
import { AddressValue } from '#renderer/entity/address-value.tsx';
import { findSimilar } from '#renderer/entity/similar.ts';
import { readStack } from '#renderer/entity/stack-rows.ts';
import { useBranding } from '#renderer/entity/use-entity-stack.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { type Fact, Facts } from '#renderer/ui/facts.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { Cell as CellText, cellTone, cellTooltip, isMono } from '#renderer/ui/grid/cells.tsx';
import type { GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { defangUrlsIn } from '#shared/mail/text-urls.ts';
import { type ClockSetting, profileTime } from '#shared/model/clock.ts';
import { allRecipients, type Cell, type EmailProfile } from '#shared/model/entities.ts';
import { RECIPIENT_FIELDS, RECIPIENT_KIND_LABELS, RECIPIENT_KINDS } from '#shared/model/enums.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { useOwnDomains } from '../builder/people.tsx';
import { type ResultRow, StateLabel } from './result-columns.tsx';

export interface Peeked {
  id: string;
  saas: string;
  index: number;
  /** The result that the values belong to. */
  resultId: string;
  /** Values of the row by column id: shown at once, before the profile answers. */
  values: Readonly<Record<string, Cell>>;
}

const LINKS_SHOWN = 4;
const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : Array.isArray(value) ? text(value[0]) : null;

function Stack({ peeked }: { peeked: Peeked }): JSX.Element {
  const branding = useBranding();
  const scan = useRead('scan.details', { query: { entity_id: peeked.id } });
  const apps = useRead('apps.list', {});
  const details = scan.data?.rows ?? [];
  const { rows, notApplicable } = readStack(details, branding, apps.data?.rows);
  const hidden = notApplicable.length;
  return (
    <section className="pp-peek-part">
      <div className="pp-row pp-caption pp-t3">
        {rows.some(({ tool }) => tool.startsWith('check_')) ? 'Checks' : 'Security stack'}
        {hidden > 0 ? ` · ${hidden} not applicable` : ''}
        <span className="pp-spacer" />
        <FreshnessMark freshness={scan.freshness} loading={scan.loading} error={scan.error} short />
      </div>
      {scan.loading && details.length === 0 ? <SkeletonRows rows={4} labelWidth={96} /> : null}
      {scan.error && details.length === 0 ? (
        <p className="pp-small pp-t2">{scan.error.message} This does not mean that nothing was found.</p>
      ) : null}
      {rows.map(({ tool, label, derived, error, detail }) => (
        <div key={tool} className="pp-peek-tool">
          <span className="pp-spacer">
            <span className="pp-ellipsis pp-peek-tool-name">{label}</span>
            {detail.summary ? <small className="pp-t2">{visibleText(detail.summary)}</small> : null}
          </span>
          <VerdictChip verdict={derived.verdict} error={derived.error ? (error ?? true) : null} />
        </div>
      ))}
    </section>
  );
}

type Values = Peeked['values'];

/** Facts of an email: from its profile, or from the row until the profile has loaded. */
function emailFacts(values: Values, email: EmailProfile | undefined, clock: ClockSetting): Fact[] {
  const from =
    email?.from?.email ??
    text(values['from_email'] ?? values['sender_email'] ?? values['from'] ?? values['sender']);
  const fromName = email?.from?.name ?? text(values['from_name']);
  const [first, ...rest] = email ? allRecipients(email) : [];
  const to = first?.email ?? text(values['to']);
  const others = rest.length;
  const kind = RECIPIENT_KINDS.find((kind) => email?.[RECIPIENT_FIELDS[kind]]?.length);
  const state = text(values['state']) ?? email?.folder ?? null;
  const clicks = values['clicks'];
  return [
    {
      label: 'From',
      value: from ? (
        <>
          {fromName ? <span className="pp-peek-name">{visibleText(fromName)}</span> : null}
          <AddressValue address={from} field="from_email" />
        </>
      ) : null,
    },
    {
      label: RECIPIENT_KIND_LABELS[kind ?? 'to'],
      value: to ? (
        <>
          <AddressValue address={to} field="to" />
          {others > 0 ? <span className="pp-t3"> +{others}</span> : null}
        </>
      ) : null,
    },
    {
      label: 'Received',
      value: email?.received
        ? profileTime(email.received, clock)
        : text(values['received'])
          ? profileTime(text(values['received']), clock)
          : null,
    },
    { label: 'State', value: state ? <StateLabel state={state} /> : null },
    {
      label: 'Clicks',
      value: typeof clicks === 'number' ? (clicks === 0 ? 'None' : exact(clicks)) : null,
    },
  ];
}

/** A cell of the grid, with the menu of its value. */
function CellValue({ column, row }: { column: GridColumn<ResultRow>; row: ResultRow }): JSX.Element {
  const clock = useClock();
  const ownDomains = useOwnDomains();
  const context = { clock, ownDomains };
  const value = column.value(row);
  const { type = 'text' } = column;
  const entity = column.entity?.(row) ?? null;
  const drawn = column.render ? (
    column.render(row, value)
  ) : (
    <CellText value={value} type={type} context={context} />
  );
  return (
    <span
      className={cellTone(value, type) ?? undefined}
      title={[cellTooltip(value, type, context), column.doubt?.(value)].filter(Boolean).join('\n')}
    >
      {entity === null ? (
        drawn
      ) : (
        <EntityValue entity={entity} plain={!isMono(type)}>
          {drawn}
        </EntityValue>
      )}
    </span>
  );
}

/** Facts of other entities: the cells on screen. The head has the verdict. */
const rowFacts = (columns: readonly GridColumn<ResultRow>[], row: ResultRow): Fact[] =>
  columns
    .filter((column) => column.id !== 'verdict' && column.notApplicable?.(row) !== true)
    .map((column) => ({ label: column.label, value: <CellValue column={column} row={row} /> }));

/** The first of these that a row has is its title. */
const TITLES = ['subject', 'title', 'name', 'email', 'text', 'url'];

/** One row beside the grid: verdict, people, security stack, links; the grid keeps the keyboard. */
export function PeekPanel(props: {
  peeked: Peeked;
  total: number;
  isEmail: boolean;
  columns: readonly GridColumn<ResultRow>[];
  row: ResultRow;
  /** Null if the row has no profile. */
  onOpen: (() => void) | null;
  onClose: () => void;
}): JSX.Element {
  const { peeked, total, isEmail, columns, row, onOpen, onClose } = props;
  const { values } = peeked;
  const clock = useClock();
  const profile = useRead(
    'email.profile',
    isEmail ? { params: { saas: peeked.saas }, query: { entity_id: peeked.id } } : null,
  );
  const email = profile.data;
  const subject =
    email?.subject ?? TITLES.flatMap((id) => text(values[id]) ?? [])[0] ?? (isEmail ? peeked.id : '');
  const links = [...new Set((email?.links ?? []).map(({ url }) => url))];
  const facts = isEmail ? emailFacts(values, email, clock) : rowFacts(columns, row);
  const verdict = email?.verdict ?? text(values['verdict']) ?? text(values['click_verdict']);
  return (
    <div className="pp-peek" data-peek={peeked.id}>
      <div className="pp-peek-head">
        {verdict ? (
          <VerdictChip solid verdict={verdict} code={email?.verdict_code ?? text(values['verdict_code'])} />
        ) : null}
        <span className="pp-small pp-t3">
          {exact(peeked.index + 1)} of {exact(total)}
        </span>
        <span className="pp-spacer" />
        {onOpen ? (
          <IconButton small icon={<Maximize size={14} />} label="Open profile" onClick={onOpen} />
        ) : null}
        <IconButton small icon={<Cross size={14} />} label="Close preview" shortcut="Esc" onClick={onClose} />
      </div>
      <div className="pp-peek-body">
        <div className="pp-peek-lead">
          <h2 className="pp-heading pp-wrap-anywhere">
            {visibleText(defangUrlsIn(subject)) || (isEmail ? '(no subject)' : '(no title)')}
          </h2>
          {email?.verdict_reason ? <p className="pp-t2">{visibleText(email.verdict_reason)}</p> : null}
        </div>
        {profile.error && !email ? (
          <p className="pp-peek-note pp-t3">
            Profile unavailable: {profile.error.message} Showing row values.
          </p>
        ) : null}
        <Facts facts={facts} />
        {isEmail ? <Stack peeked={peeked} /> : null}
        {links.length > 0 ? (
          <section className="pp-peek-part">
            <div className="pp-caption pp-t3">Links, defanged</div>
            {links.slice(0, LINKS_SHOWN).map((url) => (
              <div key={url}>
                <EntityValue truncate entity={{ kind: 'url', value: url }} />
              </div>
            ))}
            {links.length > LINKS_SHOWN ? (
              <span className="pp-small pp-t3">{links.length - LINKS_SHOWN} more</span>
            ) : null}
          </section>
        ) : null}
      </div>
      {onOpen ? (
        <div className="pp-peek-foot">
          <Button icon={<Document size={14} />} text="Open profile" onClick={onOpen} />
          {isEmail ? (
            <Button
              icon={<SearchAround size={14} />}
              text="Find similar"
              onClick={() => void findSimilar(peeked.saas, peeked.id)}
            />
          ) : null}
          <span className="pp-spacer" />
          <Kbd keys={cap(ROWS.open)} />
        </div>
      ) : null}
    </div>
  );
}
