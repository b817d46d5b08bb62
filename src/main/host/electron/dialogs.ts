/** Native file dialogs, modal to the window. */
import path from 'node:path';
import { app, type BrowserWindow, dialog, type FileFilter, type OpenDialogOptions } from 'electron';
import { MAIL_EXTENSIONS } from '#shared/model/offer.ts';
import { safeFileName } from '../../kernel/file-names.ts';
import type { ChosenPath, Dialogs, SaveKind } from '../../kernel/ports.ts';

const FILTERS: Record<SaveKind, FileFilter> = {
  csv: { name: 'Comma-separated values', extensions: ['csv'] },
  ndjson: { name: 'JSON, one object per line', extensions: ['ndjson', 'jsonl'] },
  json: { name: 'JSON', extensions: ['json'] },
  xlsx: { name: 'Spreadsheet', extensions: ['xlsx'] },
  zip: { name: 'Zip archive', extensions: ['zip'] },
  any: { name: 'All files', extensions: ['*'] },
};

const OPEN: Record<Parameters<Dialogs['open']>[0]['kind'], OpenDialogOptions> = {
  'query-file': { title: 'Import queries', properties: ['openFile'], filters: [FILTERS.json] },
  'rule-file': { title: 'Import rules', properties: ['openFile'], filters: [FILTERS.any] },
  'verify-file': { title: 'Verify a file', properties: ['openFile'], filters: [FILTERS.any] },
  'verify-manifest': {
    title: 'The manifest of the file',
    properties: ['openFile'],
    filters: [FILTERS.json, FILTERS.any],
  },
  'evidence-folder': { title: 'Open a folder of mail', properties: ['openDirectory'] },
  'evidence-file': {
    title: 'Open a mail file',
    properties: ['openFile'],
    filters: [
      { name: 'Mail', extensions: MAIL_EXTENSIONS },
      { name: 'All files', extensions: ['*'] },
    ],
  },
};

const chosen = (file: string): ChosenPath => ({ path: file, name: path.basename(file) || file });

/** Modal to the window if there is one. */
export function createDialogs(window: () => BrowserWindow | null): Dialogs {
  return {
    async save({ suggestedName, kind }) {
      const options = {
        defaultPath: path.join(app.getPath('documents'), safeFileName(suggestedName)),
        filters: [FILTERS[kind]],
        // For Linux: Windows and macOS always confirm overwriting.
        properties: ['showOverwriteConfirmation' as const],
      };
      const parent = window();
      const { canceled, filePath } =
        parent === null ? await dialog.showSaveDialog(options) : await dialog.showSaveDialog(parent, options);
      return canceled || filePath === '' ? null : chosen(filePath);
    },
    async open({ kind }) {
      const parent = window();
      const { canceled, filePaths } =
        parent === null
          ? await dialog.showOpenDialog(OPEN[kind])
          : await dialog.showOpenDialog(parent, OPEN[kind]);
      const [file] = filePaths;
      return canceled || file === undefined ? null : chosen(file);
    },
  };
}
