import { Button, HTMLSelect } from '@blueprintjs/core';
import { Add, Import, Trash } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { GlyphClean, GlyphError } from '#renderer/ui/glyphs.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import type { OutputOf } from '#shared/bridge/operations.ts';
import type { Query } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { DomainIcon } from '../domain-icon.tsx';
import { deleteQueries } from '../query-actions.ts';
import { EVERY_APP } from '../query-run.ts';
import { DOMAIN_CHOICES, useSaasChoices } from '../use-config.ts';

const plural = (count: number) => `${exact(count)} ${count === 1 ? 'query' : 'queries'}`;

/** What a new query is about: its domain and its SaaS. */
export function NewQueryDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const blank = blankQuery();
  const [domain, setDomain] = useState('email');
  const [saas, setSaas] = useState(blank.saas || EVERY_APP);
  const apps = useSaasChoices(saas);
  const make = () => {
    openQuery({ ...blankQuery(domain), saas: saas === EVERY_APP ? null : saas });
    onClose();
  };
  return (
    <Dialog
      isOpen
      size="narrow"
      title="New query"
      icon={<Add size={14} />}
      onClose={onClose}
      onConfirm={make}
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          <Button intent="primary" text="Create" endIcon={<Kbd keys="Ctrl Enter" />} onClick={make} />
        </>
      }
    >
      <fieldset className="pp-domains">
        <legend className="pp-caption pp-t3">About</legend>
        {DOMAIN_CHOICES.map(({ value, label }) => (
          <label key={value}>
            <input
              type="radio"
              name="new-query-domain"
              className="pp-visually-hidden"
              checked={domain === value}
              onChange={() => setDomain(value)}
            />
            <DomainIcon domain={value} />
            {label}
          </label>
        ))}
      </fieldset>
      <div className="pp-domains-app">
        <span className="pp-caption pp-t3">In</span>
        <HTMLSelect
          fill
          aria-label="App"
          value={saas}
          options={apps}
          onChange={({ currentTarget }) => setSaas(currentTarget.value)}
        />
      </div>
    </Dialog>
  );
}

/** Deleting is the service's; the toast that follows offers to save the queries again. */
export function DeleteDialog({
  queries,
  onClose,
}: {
  queries: readonly Query[];
  onClose: () => void;
}): JSX.Element {
  const confirm = () => {
    onClose();
    void deleteQueries(queries);
  };
  return (
    <Dialog
      isOpen
      size="narrow"
      title={`Delete ${plural(queries.length)}?`}
      icon={<Trash size={14} />}
      onClose={onClose}
      onConfirm={confirm}
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          <Button
            intent="danger"
            text={`Delete ${plural(queries.length)}`}
            endIcon={<Kbd keys="Ctrl Enter" />}
            onClick={confirm}
          />
        </>
      }
    >
      <ul className="pp-plain-list">
        {queries.slice(0, 10).map(({ id, name }) => (
          <li key={id} className="pp-ellipsis">
            {visibleText(name)}
          </li>
        ))}
      </ul>
      {queries.length > 10 ? <span className="pp-t3">and {exact(queries.length - 10)} more</span> : null}
      <p className="pp-small pp-t2">
        They are deleted on the service, for everyone. Undo saves them again under new ids; schedules keep
        their times, not their passwords.
      </p>
    </Dialog>
  );
}

/** What came of an import: what is there now, what failed and why. */
export function ImportOutcome(props: {
  outcome: OutputOf<'queries.import'>;
  onClose: () => void;
}): JSX.Element {
  const { imported, failed, notes } = props.outcome;
  return (
    <Dialog
      isOpen
      title={
        failed.length === 0
          ? `Imported ${plural(imported.length)}`
          : `Imported ${exact(imported.length)} of ${plural(imported.length + failed.length)}`
      }
      icon={<Import size={14} />}
      onClose={props.onClose}
      onConfirm={props.onClose}
      actions={<Button intent="primary" text="Close" onClick={props.onClose} />}
    >
      {failed.length > 0 ? (
        <section>
          <div className="pp-caption pp-t3">Failed</div>
          {failed.map(({ label, reason }) => (
            <div key={`${label} ${reason}`} className="pp-import-row">
              <span className="pp-danger">
                <GlyphError size={14} label="Failed" />
              </span>
              <span className="pp-wrap-anywhere">
                {visibleText(label)} <span className="pp-t2">{visibleText(reason)}</span>
              </span>
            </div>
          ))}
        </section>
      ) : null}
      {imported.length > 0 ? (
        <section>
          <div className="pp-caption pp-t3">Imported</div>
          {[...new Set(imported)].map((label) => (
            <div key={label} className="pp-import-row">
              <span className="pp-v-clean">
                <GlyphClean size={14} label="Imported" />
              </span>
              <span className="pp-wrap-anywhere">{visibleText(label)}</span>
            </div>
          ))}
        </section>
      ) : null}
      {notes.map((note) => (
        <p key={note} className="pp-small pp-t2">
          {visibleText(note)}
        </p>
      ))}
    </Dialog>
  );
}
