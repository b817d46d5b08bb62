import { Button, Checkbox } from '@blueprintjs/core';
import { Lock } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { CautionBar } from '#renderer/ui/caution-bar.tsx';
import { SparkBars } from '#renderer/ui/charts/sparkbars.tsx';
import { Dialog, Figures, VerdictMix } from '#renderer/ui/dialog.tsx';
import { Drawer } from '#renderer/ui/drawer.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { Hints, Kbd } from '#renderer/ui/kbd.tsx';
import { TabsStrip } from '#renderer/ui/tabs-strip.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { ToastView } from '#renderer/ui/toasts.tsx';

const nothing = () => undefined;
const COUNTS = [
  { verdict: 'found', count: 141 },
  { verdict: 'suspicious', count: 33 },
  { verdict: 'found-no-click', count: 14 },
  { verdict: 'not-scanned', count: 11 },
  { verdict: 'spam', count: 8 },
  { verdict: 'clean', count: 5 },
];

export function ToastStage(): JSX.Element {
  return (
    <div className="gal-stage">
      <ToastView
        toast={{
          id: -1,
          intent: 'success',
          title: '151 emails quarantined',
          detail: 'journal #416 · 08:47:31 UTC',
          action: { label: 'Undo', run: nothing },
        }}
        onClose={nothing}
      />
      <ToastView
        toast={{
          id: -2,
          intent: 'info',
          title: '8 IOCs copied, defanged',
          detail: '1 address, 2 domains, 3 URLs, 2 hashes',
        }}
        onClose={nothing}
      />
      <ToastView
        toast={{
          id: -3,
          intent: 'error',
          title: 'Save failed: the service refused the rule',
          detail: '409 · rule already exists as #1182',
          action: { label: 'Open it', run: nothing },
        }}
        onClose={nothing}
      />
      <span className="pp-t3">
        <Kbd keys="F6" /> reach the newest toast
      </span>
    </div>
  );
}

export function ControlsStage(): JSX.Element {
  const [period, setPeriod] = useState<'day' | 'week' | 'month'>('day');
  const [tab, setTab] = useState<'overview' | 'stack' | 'headers'>('overview');
  const [dialog, setDialog] = useState(false);
  const [drawer, setDrawer] = useState(false);
  return (
    <div className="gal-stage gal-page">
      <TabsStrip
        label="Email"
        tabs={[
          { id: 'overview', label: 'Overview' },
          { id: 'stack', label: 'Security stack', count: 8 },
          { id: 'headers', label: 'Headers' },
        ]}
        selected={tab}
        onSelect={setTab}
      />
      <div className="pp-row">
        <Segmented
          label="Period"
          options={[
            { value: 'day', label: '24 hours' },
            { value: 'week', label: '7 days' },
            { value: 'month', label: '30 days' },
          ]}
          value={period}
          onChange={setPeriod}
        />
        <Segmented
          label="Match"
          compact
          accent
          options={[
            { value: 'day', label: 'All of' },
            { value: 'week', label: 'Any of' },
          ]}
          value={period}
          onChange={setPeriod}
        />
        <SparkBars values={[3, 4, 4, 5, 7, 6, 8, 9, 12, 10, 18, 21]} label="Found" tone="found" />
        <SparkBars values={[3, 4, 4, 5, 7, 6, 8, 9, 12, 10, 18, 0]} label="Scanned" />
      </div>
      <div className="pp-row">
        <Button text="Dialog" onClick={() => setDialog(true)} data-gallery="dialog" />
        <Button text="Drawer" onClick={() => setDrawer(true)} data-gallery="drawer" />
        <Button text="Toast" onClick={() => showToast({ intent: 'success', title: 'Saved' })} />
        <Button intent="primary" text="Run" endIcon={<Kbd keys="Ctrl Enter" />} />
        <Button intent="danger" icon={<Lock size={14} />} text="Quarantine" />
        <Button disabled text="Preview and save" />
        <Button variant="minimal" text="Minimal" />
      </div>
      <div className="pp-row">
        <input className="bp6-input" placeholder="Search names, fields, values" aria-label="Search" />
        <input
          className="bp6-input bp6-intent-danger pp-mono"
          defaultValue="9c4e07d1a6f2"
          aria-label="Hash"
        />
        <Checkbox label="Email" defaultChecked />
      </div>
      <Hints
        hints={[
          { keys: 'J K', text: 'move' },
          { keys: 'Space', text: 'peek' },
          { keys: '?', text: 'shortcuts' },
        ]}
      />
      <Dialog
        isOpen={dialog}
        title="Quarantine 212 emails"
        icon={<Lock size={14} className="pp-danger" />}
        onClose={() => setDialog(false)}
        onConfirm={() => setDialog(false)}
        size="wide"
        footNote="Can be undone: restore from Activity"
        actions={
          <>
            <Button text="Cancel" onClick={() => setDialog(false)} />
            <Button intent="danger" text="Quarantine 151 emails" endIcon={<Kbd keys="Ctrl Enter" />} />
          </>
        }
      >
        <span className="pp-t2">
          The list below is frozen at <b>08:46:58 UTC</b>. Emails that arrive later are not touched.
        </span>
        <Figures
          figures={[
            { label: 'emails', value: 212 },
            { label: 'mailboxes', value: 187 },
            { label: 'already quarantined', value: 61 },
            { label: 'will be sent', value: 151, accent: true },
          ]}
        />
        <VerdictMix counts={COUNTS} />
        <CautionBar>
          <b>5 clean emails are in this list.</b> Review them or take them out.
        </CautionBar>
        <textarea className="bp6-input bp6-fill" rows={2} aria-label="Reason (logged)" />
      </Dialog>
      <Drawer
        isOpen={drawer}
        title="New block rule"
        subtitle="Anti-phishing"
        onClose={() => setDrawer(false)}
        footNote="1 field to correct"
        actions={<Button text="Cancel" onClick={() => setDrawer(false)} />}
      >
        Fields
      </Drawer>
    </div>
  );
}
