/** The page of `sluice ui`. Everything it shows comes from the server that it was loaded from, as src/ui/wire.ts says. */
import { render } from 'preact';
import { App } from './app.tsx';
import './state/keys.ts';
import { start } from './state/session.ts';

const root = document.querySelector('#page');
if (root) render(<App />, root);
void start();
