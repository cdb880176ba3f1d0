import { useState } from 'preact/hooks';
import { enter } from '../state/session.ts';
import { texts } from '../state/settings.ts';

/** A token is kept nowhere: the server sets a cookie that no script reads. */
export function SignIn({ refused }: { readonly refused: boolean }) {
  const [token, setToken] = useState('');
  const t = texts.value;
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        void enter(token.trim());
        setToken('');
      }}
    >
      <h1>{t.signIn}</h1>
      <p>{t.signInHelp}</p>
      <label>
        {t.token}
        <input
          type="password"
          name="token"
          autocomplete="off"
          required
          autofocus
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      <p role="alert">{refused ? t.refused : ''}</p>
      <button type="submit">{t.signIn}</button>
      <p class="hint">{t.signInCluster}</p>
    </form>
  );
}
