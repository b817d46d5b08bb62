/**
 * Dialogs for files, paths and the clipboard in a browser, where the host cannot open native ones. Plain DOM, so that
 * they work whatever state the shell is in.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import { HOST_PATHS, type HostRequest } from '#shared/bridge/host-channel.ts';
import { bytes, visibleText } from '#shared/model/format.ts';

const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Partial<HTMLElementTagNameMap[K]>,
  css: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const node = Object.assign(document.createElement(tag), props);
  node.style.cssText = css;
  node.append(...children);
  return node;
};

const BUTTON =
  'min-height:28px;padding:0 var(--space-3);border-radius:var(--r-ctl);border:var(--edge-control);background:var(--bg2);color:var(--t1);font:500 13px/18px var(--font)';
const PRIMARY = `${BUTTON};background:var(--accf);border-color:var(--accf);color:var(--on-fill)`;

/** A modal dialog in the product's own style. `result` resolves when it closes; Escape closes with false. */
function openDialog(title: string, body: Node[], action: HTMLButtonElement) {
  const cancel = element('button', { type: 'button', textContent: 'Cancel' }, BUTTON);
  const heading = element(
    'h2',
    { id: 'host-dialog-title', textContent: title },
    'margin:0;font:var(--type-heading)',
  );
  const buttons = element('div', {}, 'display:flex;justify-content:flex-end;gap:8px', cancel, action);
  const dialog = element(
    'dialog',
    {},
    'width:480px;max-width:calc(100vw - 32px);padding:var(--space-4);border:var(--edge-strong);border-radius:var(--r-dialog);background:var(--bg3);color:var(--t1);box-shadow:var(--shadow);font:var(--type-body)',
    element('div', {}, 'display:grid;gap:12px', heading, ...body, buttons),
  );
  dialog.setAttribute('aria-labelledby', heading.id);
  let isClosed = false;
  const result = new Promise<boolean>((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(isClosed);
    });
  });
  cancel.addEventListener('click', () => dialog.close());
  // Single keys are shortcuts of the screen behind.
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  document.body.append(dialog);
  dialog.showModal();
  return {
    result,
    cancel: () => dialog.close(),
    finish() {
      isClosed = true;
      dialog.close();
    },
  };
}

/** The picked file, optionally with its manifest. */
interface Picked {
  file: File;
  manifest: File | null;
}

/**
 * The item dropped on the page, which answers the host's next request. A browser reveals only the name of a path.
 */
let dropped: { name: string; file: File | null } | null = null;

/**
 * The next `dialogs.open` receives this file, or asks for the path of the item with this name. Null to ask as usual.
 */
export function handOver(what: typeof dropped): void {
  dropped = what;
}

function takeDropped(): typeof dropped {
  const file = dropped;
  dropped = null;
  return file;
}

type PickRequest = Extract<HostRequest, { host: 'pick' }>;

const NOT_OPENED = 'The browser didn’t open its file picker.';
/** Browsers number repeated downloads of the same name, before or after the first dot. */
const IS_MANIFEST = /\.manifest(?: ?\(\d+\))?\.json$/i;

/** The file and its manifest among the picked files; a string says why they cannot be used. */
function pickedOf(files: readonly File[], { pair, maxBytes }: PickRequest): Picked | string {
  const manifests = files.filter(({ name }) => IS_MANIFEST.test(name));
  const others = files.filter((file) => !manifests.includes(file));
  const [file, ...rest] = others.length === 0 ? manifests : others;
  const [manifest = null, ...more] = others.length === 0 ? [] : manifests;
  if (file === undefined || rest.length > 0 || more.length > 0)
    return pair ? 'Choose one file, optionally with its manifest.' : 'Choose one file.';
  if (file.size > maxBytes)
    return `${visibleText(file.name)} is ${bytes(file.size)}; the limit in a browser is ${bytes(maxBytes)}.${pair ? ' Verify it in the desktop app or with npm run verify.' : ''}`;
  return { file, manifest };
}

async function post(id: string, query: string, body: File): Promise<void> {
  const answer = await fetch(`${HOST_PATHS.upload}${id}?${query}`, { method: 'POST', body });
  if (!answer.ok) throw new Error(await answer.text());
}

async function upload(id: string, { file, manifest }: Picked): Promise<void> {
  const name = `name=${encodeURIComponent(file.name)}`;
  if (manifest !== null) await post(id, `${name}&manifest=1`, manifest);
  await post(id, name, file);
}

/**
 * Asks for a file and hands it to the host; false if the analyst cancelled. A browser opens its picker only on a click.
 * The request comes from the host, so if the last click is too long ago, or the picked files cannot be used, a dialog
 * offers a button.
 *
 * Uses `showPicker`, which reports a refusal: Safari silently ignores a `click()` outside of a user's click.
 */
export async function pickFile(request: PickRequest): Promise<boolean> {
  const { id, title, accept, pair } = request;
  const input = element('input', { type: 'file', accept, multiple: pair }, '');
  const chosen = () =>
    new Promise<Picked | string | null>((resolve) => {
      const take = () => resolve(pickedOf([...(input.files ?? [])], request));
      input.addEventListener('change', take, { once: true });
      input.addEventListener('cancel', () => resolve(null), { once: true });
      input.value = '';
      try {
        input.showPicker();
      } catch {
        resolve(NOT_OPENED);
      }
    });
  let wrong = '';
  const file = takeDropped()?.file ?? null;
  if (file !== null) {
    const picked = pickedOf([file], request);
    if (typeof picked !== 'string') {
      await upload(id, picked);
      return true;
    }
    wrong = picked;
  } else if (navigator.userActivation.isActive) {
    const picked = await chosen();
    if (picked === null) return false;
    if (typeof picked !== 'string') {
      await upload(id, picked);
      return true;
    }
    if (picked !== NOT_OPENED) wrong = picked;
  }
  const choose = element('button', { type: 'button', textContent: 'Choose file…', autofocus: true }, PRIMARY);
  const problem = element(
    'div',
    { role: 'alert', textContent: wrong },
    'min-height:18px;color:var(--found);overflow-wrap:anywhere',
  );
  const hint = element(
    'div',
    { textContent: pair ? 'You can choose its manifest with it.' : '' },
    'color:var(--t3);font:400 12px/18px var(--font)',
  );
  const dialog = openDialog(title, [...(pair ? [hint] : []), problem], choose);
  const fail = Promise.withResolvers<never>();
  choose.addEventListener('click', () => {
    void chosen().then((picked) => {
      if (picked === null) return;
      problem.textContent = typeof picked === 'string' ? picked : '';
      if (typeof picked === 'string') return;
      upload(id, picked).then(dialog.finish, (error: unknown) => {
        dialog.cancel();
        fail.reject(error);
      });
    });
  });
  return Promise.race([dialog.result, fail.promise]);
}

/**
 * Writes the clipboard. Safari lets a page do so only while it handles a click or a key, so a text that had to be read
 * first comes too late, and a dialog offers another click.
 */
export async function writeClipboard(text: string): Promise<void> {
  const write = async () => navigator.clipboard.writeText(text);
  try {
    return await write();
  } catch {
    // The dialog says what is needed.
  }
  const copy = element('button', { type: 'button', textContent: 'Copy', autofocus: true }, PRIMARY);
  const hint = element(
    'div',
    { textContent: 'The text is ready. This browser copies only on a click.' },
    'color:var(--t2)',
  );
  const problem = element(
    'div',
    { role: 'alert' },
    'min-height:18px;color:var(--found);overflow-wrap:anywhere',
  );
  const dialog = openDialog('Copy to the clipboard', [hint, problem], copy);
  copy.addEventListener('click', () => {
    write().then(dialog.finish, () => {
      problem.textContent = 'The browser refused. Its settings may keep pages from copying.';
    });
  });
  if (!(await dialog.result)) throw new ParapetError('cancelled', 'Nothing was copied.');
}

/** Asks for a path on this machine; the dialog stays open until the host accepts the path. False if cancelled. */
export async function askForPath({
  id,
  expected,
}: {
  id: string;
  expected: 'folder' | 'file';
}): Promise<boolean> {
  const name = takeDropped()?.name;
  const input = element(
    'input',
    { type: 'text', autofocus: true, spellcheck: false, autocomplete: 'off' },
    'width:100%;box-sizing:border-box;height:28px;padding:0 8px;border:1px solid var(--ctl);border-radius:5px;background:var(--bg2);color:var(--t1);font:400 12px/18px var(--mono)',
  );
  const problem = element('div', { role: 'alert' }, 'min-height:18px;color:var(--found)');
  const label = element(
    'label',
    {},
    'display:grid;gap:4px;color:var(--t2)',
    name !== undefined
      ? `Path of “${visibleText(name)}”`
      : expected === 'folder'
        ? 'Path of a folder with .eml or .mbox files'
        : 'Path of an .eml or .mbox file',
    input,
  );
  const open = element('button', { type: 'submit', textContent: 'Open' }, PRIMARY);
  const hint = element(
    'div',
    {
      textContent: 'Browsers don’t share paths: type or paste it. The mail is read in place and not changed.',
    },
    'color:var(--t3);font:400 12px/18px var(--font)',
  );
  const dialog = openDialog('Open evidence', [label, problem, hint], open);
  const submit = async () => {
    problem.textContent = '';
    const answer = await fetch(`${HOST_PATHS.choose}${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: input.value }),
    });
    if (answer.ok) return dialog.finish();
    const refusal: unknown = await answer.json().catch(() => null);
    problem.textContent =
      typeof refusal === 'object' && refusal !== null && 'problem' in refusal
        ? String(refusal.problem)
        : 'Parapet did not answer.';
  };
  open.addEventListener('click', () => void submit());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') void submit();
  });
  return dialog.result;
}
