import { Button } from '@blueprintjs/core';
import { Export, Media, Th } from '@blueprintjs/icons';
import { type JSX, memo } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { savePng, saveSvg } from '#renderer/bridge/save-file.ts';
import { menuOf } from '#renderer/commands/command.tsx';
import { useClearFilesOff } from '#renderer/state/app-info.ts';
import { useSaving } from '#renderer/state/saving.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import type { WrittenFile } from '#shared/bridge/operations.ts';
import { plural } from '#shared/model/format.ts';
import type { LoginClient } from './login-client.ts';
import type { PictureAsk } from './picture.ts';
import { saveRows } from './save-files.ts';

interface ExportMenuProps {
  client: LoginClient | null;
  /** Rows under the filter. */
  count: number;
  /** What is shown, in words: the name of the file and the title of the picture. */
  words: string;
  nameOf: (module: string) => string;
  /** Why the rows are incomplete, or null if they are complete. */
  missing: string | null;
  /** The map on screen, or null if the table is shown instead. */
  map: () => PictureAsk | null;
  hasMap: boolean;
  wide: boolean;
}

const WHAT_PICTURE = 'A picture of the login map';

/** The picture as seen, or every row under the filter in its order. */
export const ExportMenu = memo(function ExportMenu({
  client,
  count,
  words,
  nameOf,
  missing,
  map,
  hasMap,
  wide,
}: ExportMenuProps): JSX.Element {
  const bridge = useBridge();
  const clock = useClock();
  const { busy, save: run } = useSaving();
  const unsaved = useClearFilesOff();
  const name = `Login map ${words}`;
  const drawn = { what: WHAT_PICTURE, missing };
  const picture = (act: (client: LoginClient, ask: PictureAsk) => Promise<WrittenFile | null>) => () => {
    const ask = map();
    if (client && ask) void run(() => act(client, ask));
  };
  const rows = (format: 'csv' | 'ndjson') => () => {
    if (client) void run(() => saveRows(bridge, client, { name, format, count, clock, nameOf, missing }));
  };
  return (
    <MenuPopover
      placement="bottom-end"
      content={menuOf(
        'Export',
        [
          { text: `${plural(count, 'row')} as CSV`, icon: Th, run: rows('csv') },
          { text: `${plural(count, 'row')} as NDJSON`, icon: Th, run: rows('ndjson') },
        ],
        [
          {
            text: 'Map as PNG',
            icon: Media,
            isOff: !hasMap,
            run: picture(async (from, ask) => savePng(bridge, name, await from.ask('png', ask), drawn)),
          },
          {
            text: 'Map as SVG',
            icon: Media,
            isOff: !hasMap,
            run: picture(async (from, ask) =>
              saveSvg(bridge, name, await from.ask('svg', { ask, title: name }), drawn),
            ),
          },
        ],
      )}
    >
      <Button
        icon={<Export size={14} />}
        text={wide && client !== null ? `Export ${plural(count, 'row')}` : 'Export'}
        disabled={client === null || busy || unsaved !== null}
        title={unsaved ?? undefined}
      />
    </MenuPopover>
  );
});
