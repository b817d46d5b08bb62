import { Button, HTMLSelect } from '@blueprintjs/core';
import { People } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Field } from '#renderer/ui/field.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { exportActiveUsers, SERVICE_FORMATS, type ServiceFormat } from '../query-files.ts';
import { EVERY_APP } from '../query-run.ts';
import { useSaasChoices } from '../use-config.ts';

/** The list of active users of one SaaS, made by the service. */
export function ActiveUsersDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const apps = useSaasChoices().filter(({ value }) => value !== EVERY_APP);
  const [chosen, setChosen] = useState<string | null>(null);
  const [format, setFormat] = useState<ServiceFormat>('csv');
  const [busy, setBusy] = useState(false);
  const app = apps.find(({ value }) => value === chosen) ?? apps[0];
  const save = () => {
    if (!app || busy) return;
    setBusy(true);
    void exportActiveUsers(app.value, app.label, format)
      .then((saved) => {
        if (saved) onClose();
      })
      .finally(() => setBusy(false));
  };
  return (
    <Dialog
      isOpen
      size="narrow"
      title="Export active users"
      icon={<People size={14} />}
      onClose={onClose}
      onConfirm={save}
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          <Button
            intent="primary"
            text="Save file…"
            loading={busy}
            disabled={!app}
            endIcon={<Kbd keys="Ctrl Enter" />}
            onClick={save}
          />
        </>
      }
    >
      <Field label="Of" note="As the service lists them at this moment.">
        {(id) => (
          <HTMLSelect
            fill
            id={id}
            value={app?.value ?? ''}
            options={apps}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          />
        )}
      </Field>
      <Segmented label="Format" options={SERVICE_FORMATS} value={format} onChange={setFormat} />
    </Dialog>
  );
}
