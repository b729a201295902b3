import "./tokens.css";
import "./base.css";
import { render } from "preact";
import { startLanguage } from "./i18n/text";
import { startRouter } from "./router";
import { App } from "./shell/App";
import { showUnseen } from "./shown_text";

showUnseen();
startRouter();
// The catalogue first: a page in one language and then in another would jump.
void startLanguage().finally(() => {
  const root = document.getElementById("app");
  if (root !== null) render(<App />, root);
});
