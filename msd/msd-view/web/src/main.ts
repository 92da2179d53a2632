import "./style.css";
import { App } from "./app";

const app = new App();

// For tests and for msd snapshot: what the page knows, without its looks.
declare global {
  interface Window {
    msd: App;
  }
}
window.msd = app;
