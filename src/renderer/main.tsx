// Must come first: schemas read this setting when they are created.
import './bridge/no-eval.ts';
import './ui/styles/index.css';
import './app/shell.css';
import './app/split.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { App } from './app/app.tsx';
import { StartFailed } from './app/failure.tsx';
import { startState } from './app/start.ts';
import { connectBridge } from './bridge/connect.ts';
import { applyTheme } from './ui/theme.ts';

const root = createRoot(document.getElementById('root') ?? document.body);
applyTheme(matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
try {
  const connected = await connectBridge();
  await startState(connected);
  root.render(
    <StrictMode>
      <App bridge={connected.bridge} />
    </StrictMode>,
  );
} catch (error) {
  root.render(<StartFailed error={toBridgeError(error)} />);
}
