/** Dialogs that the browser host asks its page for. Plain DOM: they work whatever the shell is doing. */
import { HOST_PATHS } from '#shared/bridge/host-channel.ts';

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
  'min-height:28px;padding:0 12px;border-radius:5px;border:1px solid var(--ctl);background:var(--bg2);color:var(--t1);font:500 13px/18px var(--font)';
const PRIMARY = `${BUTTON};background:var(--accf);border-color:var(--accf);color:#fff`;

/** A modal dialog in the product's own style. `result` resolves when it closes; Escape closes with false. */
function openDialog(title: string, body: Node[], action: HTMLButtonElement) {
  const cancel = element('button', { type: 'button', textContent: 'Cancel' }, BUTTON);
  const heading = element(
    'h2',
    { id: 'host-dialog-title', textContent: title },
    'margin:0;font:600 14px/20px var(--font)',
  );
  const buttons = element('div', {}, 'display:flex;justify-content:flex-end;gap:8px', cancel, action);
  const dialog = element(
    'dialog',
    {},
    'width:480px;max-width:calc(100vw - 32px);padding:16px;border:1px solid var(--line2);border-radius:10px;background:var(--bg3);color:var(--t1);box-shadow:0 12px 40px #0008;font:400 13px/18px var(--font)',
    element('div', {}, 'display:grid;gap:12px', heading, ...body, buttons),
  );
  dialog.setAttribute('aria-labelledby', heading.id);
  let done = false;
  const result = new Promise<boolean>((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(done);
    });
  });
  cancel.addEventListener('click', () => dialog.close());
  // Single keys mean something to the screen behind.
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  document.body.append(dialog);
  dialog.showModal();
  return {
    result,
    finish() {
      done = true;
      dialog.close();
    },
  };
}

async function upload(id: string, file: File): Promise<void> {
  const answer = await fetch(`${HOST_PATHS.upload}${id}?name=${encodeURIComponent(file.name)}`, {
    method: 'POST',
    body: file,
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/**
 * Asks for a file and hands it to the host; false: the analyst cancelled. A browser opens its picker only on a
 * click, and the question arrives from the host, so a dialog offers the click where the last one is too long ago.
 */
export async function pickFile({ id, accept }: { id: string; accept: string }): Promise<boolean> {
  const input = element('input', { type: 'file', accept }, '');
  const chosen = () =>
    new Promise<File | null>((resolve) => {
      input.addEventListener('change', () => resolve(input.files?.[0] ?? null), { once: true });
      input.addEventListener('cancel', () => resolve(null), { once: true });
    });
  if (navigator.userActivation.isActive) {
    const picked = chosen();
    input.click();
    const file = await picked;
    if (file !== null) await upload(id, file);
    return file !== null;
  }
  const choose = element('button', { type: 'button', textContent: 'Choose file…', autofocus: true }, PRIMARY);
  const dialog = openDialog('Choose a file', [], choose);
  choose.addEventListener('click', () => {
    void chosen().then(async (file) => {
      if (file === null) return;
      await upload(id, file);
      dialog.finish();
    });
    input.click();
  });
  return dialog.result;
}

/** Asks for a path on this machine; the host checks it, and the dialog stays until it is one. False: cancelled. */
export async function askForPath({
  id,
  wanted,
}: {
  id: string;
  wanted: 'folder' | 'file';
}): Promise<boolean> {
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
    wanted === 'folder' ? 'Path of a folder with .eml or .mbox files' : 'Path of an .eml or .mbox file',
    input,
  );
  const open = element('button', { type: 'submit', textContent: 'Open' }, PRIMARY);
  const hint = element(
    'div',
    {
      textContent:
        'A browser cannot hand over a path: type or paste it. The mail is read where it is and changes nothing there.',
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
    const told: unknown = await answer.json().catch(() => null);
    problem.textContent =
      typeof told === 'object' && told !== null && 'problem' in told
        ? String(told.problem)
        : 'Parapet did not answer.';
  };
  open.addEventListener('click', () => void submit());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') void submit();
  });
  return dialog.result;
}
