import type { JSX } from 'react';
import { useHotkeyList } from '../state/hotkeys.ts';
import { showKeys, useOverlays } from '../state/overlays.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';

const capOf = (chord: string) => chord.replaceAll('+', ' ').replace('Escape', 'Esc').replace('Arrow', '');

/** Every key that works on the screen in front, and everywhere. */
export function KeysDialog(): JSX.Element {
  const isOpen = useOverlays((store) => store.keys);
  const groups = useHotkeyList();
  return (
    <Dialog isOpen={isOpen} title="Keys" size="wide" onClose={() => showKeys(false)}>
      <div className="pp-keys">
        {[...groups].map(([group, hotkeys]) => (
          <section key={group} aria-label={group}>
            <h3 className="pp-caption pp-t3">{group}</h3>
            <dl>
              {hotkeys.map(({ keys, text }) => (
                <div key={`${keys.join()} ${text}`}>
                  <dt>{text}</dt>
                  <dd>
                    {keys.map((chord) => (
                      <Kbd key={chord} keys={capOf(chord)} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
