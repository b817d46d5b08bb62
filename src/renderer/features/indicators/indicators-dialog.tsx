import { Button, Checkbox } from '@blueprintjs/core';
import { Clipboard, FloppyDisk } from '@blueprintjs/icons';
import { type JSX, useEffect, useRef, useState } from 'react';
import { piecesOf, saveFile } from '#renderer/bridge/save-file.ts';
import { useClearFilesOff } from '#renderer/state/app-info.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { closeIndicators, type IndicatorOrder, useIndicatorOrder } from '#renderer/state/indicator-order.ts';
import { showExported } from '#renderer/state/saving.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { type Indicator, type IndicatorType, indicatorText } from '#shared/model/indicators.ts';
import {
  ALLOWED,
  count,
  LEFT_OUT,
  NONE,
  OWN,
  READING,
  showMoreWords,
  titleOf,
  typeLabel,
  WHAT_FILE,
} from './labels.ts';
import './indicators.css';

type Collected = OutputOf<'indicators.collect'>;

/** The indicators of the rows or profile, collected by main; closing the dialog cancels that. */
const useCollected = ({ source }: IndicatorOrder) =>
  useAnswer(source, (signal) =>
    windowBridge().call(
      'indicators.collect',
      { connectionId: currentConnection()?.id ?? '', source },
      { signal },
    ),
  );

const SHOWN = 6;

/** One type: its count, whether it is copied, and its first values; “Show more” lists all that were returned. */
function Group(props: {
  label: string;
  total: number;
  sample: readonly Indicator[];
  defanged: boolean;
  chosen: boolean;
  onChange: (chosen: boolean) => void;
}): JSX.Element {
  const { label, total, sample, defanged, chosen, onChange } = props;
  const [all, setAll] = useState(false);
  const shown = all ? sample : sample.slice(0, SHOWN);
  return (
    <div className={`pp-indicators-group${chosen ? '' : ' pp-t3'}`} data-indicators={label}>
      <Checkbox checked={chosen} onChange={({ currentTarget }) => onChange(currentTarget.checked)}>
        <b>{exact(total)}</b> {label}
      </Checkbox>
      <ul className="pp-mono">
        {shown.map((indicator) => (
          <li key={`${indicator.type} ${indicator.value}`}>
            {visibleText(indicatorText(indicator, defanged))}
          </li>
        ))}
        {total > shown.length ? (
          <li className="pp-t3">
            {all || sample.length <= SHOWN ? (
              `and ${exact(total - shown.length)} more`
            ) : (
              <LinkButton onClick={() => setAll(true)}>
                {showMoreWords({ total, listed: sample.length, shown: SHOWN })}
              </LinkButton>
            )}
          </li>
        ) : null}
      </ul>
    </div>
  );
}

/** The types to copy, which excluded indicators to include, and the format. */
interface Choice {
  without: ReadonlySet<IndicatorType>;
  own: boolean;
  allowed: boolean;
  form: 'defanged' | 'raw';
  typed: boolean;
}

function countOf(collected: Collected, { without, own, allowed }: Choice): number {
  const count = collected.groups.reduce(
    (sum, { type, count: many }) => sum + (without.has(type) ? 0 : many),
    0,
  );
  return count + (own ? collected.ownCount : 0) + (allowed ? collected.allowedCount : 0);
}

function textOf(collected: Collected, choice: Choice, format: 'lines' | 'typed' | 'csv') {
  return windowBridge().call('indicators.text', {
    collectionId: collected.collectionId,
    types: collected.groups.map(({ type }) => type).filter((type) => !choice.without.has(type)),
    own: choice.own,
    allowed: choice.allowed,
    form: choice.form,
    format,
  });
}

const copy = (collected: Collected, choice: Choice): Promise<unknown> =>
  attempt('Couldn’t copy', async () => {
    const { text, count: many } = await textOf(collected, choice, choice.typed ? 'typed' : 'lines');
    await copyText(text, `Copied ${count(many)}, ${choice.form}`);
  });

/** Why these may not be all indicators, or not only the wanted ones, or null if nothing was left unread. */
const missingOf = ({ notes }: Collected): string | null =>
  notes.length === 0 ? null : `${notes.join('. ')}.`;

/** CSV of type, value and the value defanged. */
const saveCsv = (collected: Collected, choice: Choice): Promise<boolean | null> =>
  attempt('Indicators not saved', async () => {
    const { text, count: many } = await textOf(collected, choice, 'csv');
    const written = await saveFile(
      windowBridge(),
      'indicators.csv',
      'csv',
      { what: WHAT_FILE, entries: many, missing: missingOf(collected) },
      async function* () {
        yield* piecesOf(text);
      },
    );
    if (written === null) return false;
    showExported(count(many), { missing: null, ...written });
    return true;
  });

function Groups(props: {
  collected: Collected;
  choice: Choice;
  onChange: (change: Partial<Choice>) => void;
}): JSX.Element {
  const { collected, choice, onChange } = props;
  const defanged = choice.form === 'defanged';
  const toggle = (type: IndicatorType, on: boolean) => {
    const without = new Set(choice.without);
    if (on) without.delete(type);
    else without.add(type);
    onChange({ without });
  };
  return (
    <>
      {collected.groups.length === 0 ? <p className="pp-t2">{NONE}</p> : null}
      {collected.groups.map(({ type, count: total, sample }) => (
        <Group
          key={type}
          label={typeLabel(type, total)}
          total={total}
          sample={sample.map((value) => ({ type, value }))}
          defanged={defanged}
          chosen={!choice.without.has(type)}
          onChange={(on) => toggle(type, on)}
        />
      ))}
      {collected.ownCount + collected.allowedCount > 0 ? (
        <h3 className="pp-caption pp-t3">{LEFT_OUT}</h3>
      ) : null}
      {collected.ownCount > 0 ? (
        <Group
          label={OWN}
          total={collected.ownCount}
          sample={collected.own}
          defanged={defanged}
          chosen={choice.own}
          onChange={(values) => onChange({ own: values })}
        />
      ) : null}
      {collected.allowedCount > 0 ? (
        <Group
          label={ALLOWED}
          total={collected.allowedCount}
          sample={collected.allowed}
          defanged={defanged}
          chosen={choice.allowed}
          onChange={(allowed) => onChange({ allowed })}
        />
      ) : null}
      {collected.notes.map((note) => (
        <p key={note} className="pp-caution">
          {visibleText(note)}.
        </p>
      ))}
    </>
  );
}

/** The indicators to copy by type, and the excluded ones; Enter copies. */
function IndicatorsDialog({ order }: { order: IndicatorOrder }): JSX.Element {
  const { data: collected, error, again } = useCollected(order);
  const [choice, setChoice] = useState<Choice>({
    without: new Set(),
    own: false,
    allowed: false,
    form: order.defanged ? 'defanged' : 'raw',
    typed: order.typed ?? false,
  });
  const change = (part: Partial<Choice>) => setChoice((before) => ({ ...before, ...part }));
  const copyButton = useRef<HTMLButtonElement>(null);
  const many = collected ? countOf(collected, choice) : 0;
  const unsaved = useClearFilesOff();
  useEffect(() => {
    if (collected) copyButton.current?.focus();
  }, [collected]);
  const run = () => {
    if (!collected || many === 0) return;
    closeIndicators();
    void copy(collected, choice);
  };
  return (
    <Dialog
      size="normal"
      title={titleOf(visibleText(order.of))}
      icon={<Clipboard size={14} />}
      onClose={closeIndicators}
      onConfirm={run}
      actions={
        <>
          <Button text="Cancel" onClick={closeIndicators} />
          <Button
            icon={<FloppyDisk size={14} />}
            text="Save as CSV"
            disabled={many === 0 || unsaved !== null}
            title={unsaved ?? undefined}
            onClick={() =>
              collected && void saveCsv(collected, choice).then((saved) => saved && closeIndicators())
            }
          />
          <Button
            ref={copyButton}
            intent="primary"
            text={`Copy ${collected ? count(many) : ''}`}
            endIcon={<Kbd keys="Enter" />}
            disabled={many === 0}
            onClick={run}
          />
        </>
      }
    >
      <div className="pp-row">
        <Segmented
          label="Format"
          value={choice.form}
          options={[
            { value: 'defanged', label: 'Defanged' },
            { value: 'raw', label: 'Raw' },
          ]}
          onChange={(form) => change({ form })}
        />
        <Checkbox
          className="pp-indicators-typed"
          label="Include types"
          checked={choice.typed}
          onChange={({ currentTarget }) => change({ typed: currentTarget.checked })}
        />
      </div>
      {error ? <ErrorBar error={error} onRetry={again} /> : null}
      {!collected && !error ? (
        <div role="status">
          <p className="pp-t2">{READING}</p>
          <SkeletonRows rows={5} labelWidth={120} />
        </div>
      ) : null}
      {collected ? <Groups collected={collected} choice={choice} onChange={change} /> : null}
    </Dialog>
  );
}

export function IndicatorsLayer(): JSX.Element | null {
  const { order } = useIndicatorOrder();
  return order ? <IndicatorsDialog order={order} /> : null;
}
