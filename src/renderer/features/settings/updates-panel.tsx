import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useCall } from '#renderer/bridge/use-call.ts';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { useUpdates } from '#renderer/state/updates.ts';
import { Meter } from '#renderer/ui/charts/sparkbars.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import type { UpdateState } from '#shared/bridge/operations.ts';
import { profileTime } from '#shared/model/clock.ts';
import { bytes, visibleText } from '#shared/model/format.ts';
import { UPDATES } from './labels.ts';

/** The available version: release notes from the feed, and download or install. */
function Found({ state }: { state: UpdateState }): JSX.Element | null {
  const fetch = useCall('updates.fetch');
  const install = useCall('updates.install');
  const { newest, phase, done, kind } = state;
  if (newest === null) return null;
  const size = newest.bytes;
  const problem = fetch.error ?? install.error;
  return (
    <section className="pp-update" aria-label={UPDATES.found(newest.version)}>
      <div className="pp-row">
        <b className="pp-spacer">{UPDATES.found(newest.version)}</b>
        <span className="pp-small pp-t3">{UPDATES.released(newest.date)}</span>
      </div>
      <section className="pp-update-notes" tabIndex={0} aria-label={UPDATES.notes}>
        {newest.notes === '' ? UPDATES.noNotes : newest.notes.split(/\r?\n/).map(visibleText).join('\n')}
      </section>
      {size === null ? <p className="pp-flat pp-t2">{UPDATES.elsewhere}</p> : null}
      {size !== null && phase === 'fetching' ? (
        <Meter label={UPDATES.fetched(done, size)} parts={[{ tone: 'accent', value: done }]} whole={size} />
      ) : null}
      {size === null ? null : (
        <div className="pp-row">
          <span className="pp-spacer pp-small pp-t3">
            {phase === 'fetching' ? UPDATES.fetched(done, size) : phase === 'ready' ? UPDATES.checked : ''}
          </span>
          {phase === 'ready' ? (
            <Button
              intent="primary"
              size="small"
              text={kind === 'dmg' ? UPDATES.openImage : UPDATES.restart}
              disabled={install.pending}
              onClick={() => void install.run({})}
            />
          ) : (
            <Button
              size="small"
              text={UPDATES.fetch(bytes(size))}
              disabled={phase !== 'idle'}
              onClick={() => void fetch.run({})}
            />
          )}
        </div>
      )}
      {problem ? <ErrorBar error={problem} /> : null}
    </section>
  );
}

/** Off by default; no request is made before the analyst turns it on. */
function Choices({ state }: { state: UpdateState }): JSX.Element {
  const choose = useCall('updates.choose');
  const { on, channel, managed } = state;
  const clock = useClock();
  return (
    <>
      <div className="pp-setting">
        <span>{UPDATES.look}</span>
        <Segmented
          label={UPDATES.look}
          options={UPDATES.onOff.map((option) => ({ ...option, disabled: managed.on }))}
          value={on ? 'on' : 'off'}
          onChange={(value) => void choose.run({ on: value === 'on', channel })}
        />
      </div>
      <div className="pp-setting">
        <span>{UPDATES.channel}</span>
        <Segmented
          label={UPDATES.channel}
          options={UPDATES.channels.map((option) => ({ ...option, disabled: managed.channel }))}
          value={channel}
          onChange={(value) => void choose.run({ on, channel: value })}
        />
      </div>
      <p className="pp-setting-note">
        {managed.on || managed.channel ? `${UPDATES.managed(managed.by)} ` : ''}
        {state.checkedAt === null
          ? UPDATES.never
          : UPDATES.asked(profileTime(state.checkedAt, clock), state.newest !== null)}
      </p>
      {choose.error ? <ErrorBar error={choose.error} /> : null}
    </>
  );
}

/** Updates of the desktop window; a browser host has none. */
export function UpdatesPanel(): JSX.Element | null {
  const state = useUpdates();
  const host = useAppInfo()?.host;
  const check = useCall('updates.check');
  if (host !== 'electron' || state === null) return null;
  const problem = check.error ?? state.problem;
  const isOff = state.managed.on && !state.on;
  return (
    <Panel
      title={UPDATES.title}
      actions={
        state.unavailable === null ? (
          <Button
            size="small"
            text={state.phase === 'checking' ? UPDATES.checking : UPDATES.checkNow}
            disabled={isOff || state.phase === 'checking' || state.phase === 'fetching'}
            title={isOff ? UPDATES.managed(state.managed.by) : undefined}
            onClick={() => void check.run({})}
          />
        ) : null
      }
    >
      {state.unavailable === null ? (
        <Choices state={state} />
      ) : (
        <p className="pp-setting-note">{state.unavailable}</p>
      )}
      {problem ? <ErrorBar error={problem} /> : null}
      <Found state={state} />
    </Panel>
  );
}
