/** The application menu: visible on macOS; elsewhere it provides the shortcuts that text fields need. */
import type { MenuItemConstructorOptions } from 'electron';

/** Command names that the renderer's `commands.ts` knows. */
export type MenuCommand = 'palette' | 'print' | 'new-query' | 'close-tab' | 'settings' | 'guide' | 'keys';

/** `command` sends a command to the window. */
export function menuTemplate(
  command: (name: MenuCommand) => void,
  options: { mac: boolean; developer: boolean },
): MenuItemConstructorOptions[] {
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => command('settings'),
  };
  return [
    ...(options.mac
      ? [
          {
            role: 'appMenu' as const,
            submenu: [
              { role: 'about' as const },
              { type: 'separator' as const },
              settings,
              { type: 'separator' as const },
              { role: 'hide' as const },
              { role: 'hideOthers' as const },
              { role: 'unhide' as const },
              { type: 'separator' as const },
              { role: 'quit' as const },
            ],
          },
        ]
      : []),
    {
      label: 'File',
      submenu: [
        { label: 'New query', click: () => command('new-query') },
        { label: 'Go to anything…', click: () => command('palette') },
        { label: 'Print…', accelerator: 'CmdOrCtrl+P', click: () => command('print') },
        { label: 'Close tab', accelerator: 'CmdOrCtrl+W', click: () => command('close-tab') },
        ...(options.mac ? [] : [settings, { type: 'separator' as const }, { role: 'quit' as const }]),
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(options.developer
          ? [{ type: 'separator' as const }, { role: 'reload' as const }, { role: 'toggleDevTools' as const }]
          : []),
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Guide', click: () => command('guide') },
        { label: 'Keys', click: () => command('keys') },
      ],
    },
  ];
}
