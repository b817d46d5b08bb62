import { Add } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { SelectField } from '#renderer/ui/form/field.tsx';
import type { Query } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { DomainIcon } from '../../../ui/domain-icon.tsx';
import { EVERY_APP } from '../query-run.ts';
import { DOMAIN_CHOICES, useSaasChoices } from '../use-config.ts';

const BLANK = '';

export function NewQueryDialog(props: { templates: readonly Query[]; onClose: () => void }): JSX.Element {
  const { templates, onClose } = props;
  const blank = blankQuery();
  const [domain, setDomain] = useState('email');
  const [saas, setSaas] = useState(blank.saas || EVERY_APP);
  const [templateId, setTemplateId] = useState(BLANK);
  const apps = useSaasChoices(saas);
  const fitting = templates.filter((template) => template.domain === domain);
  const template = fitting.find(({ id }) => id === templateId);
  const make = () => {
    openQuery({ ...(template ?? blankQuery(domain)), saas: saas === EVERY_APP ? null : saas });
    onClose();
  };
  return (
    <ConfirmDialog
      size="narrow"
      title="New query"
      icon={<Add size={14} />}
      onClose={onClose}
      onConfirm={make}
      confirm={{ text: 'Create' }}
    >
      <fieldset className="pp-domains">
        <legend className="pp-caption pp-t3">Entity type</legend>
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
      <SelectField label="App" fill value={saas} options={apps} onChange={setSaas} />
      <SelectField
        label="Template"
        note={
          template?.description
            ? visibleText(template.description)
            : 'Templates include conditions and columns.'
        }
        fill
        value={template ? templateId : BLANK}
        options={[
          { value: BLANK, label: 'Blank' },
          ...fitting.map((template) => ({ value: template.id, label: visibleText(template.name) })),
        ]}
        onChange={setTemplateId}
      />
    </ConfirmDialog>
  );
}
