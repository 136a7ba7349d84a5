// The page: reads its data, and draws what the state says.
import "./style.css";
import { read } from "./data.ts";
import { h } from "./dom.ts";
import { Page } from "./page.ts";

async function start(): Promise<void> {
  const element = document.getElementById("data");
  const text = element?.textContent ?? "";
  element?.remove();
  try {
    new Page(await read(text));
  } catch (error) {
    document.body.replaceChildren(h("main", { class: "failed" }, [h("h1", {}, "This report cannot be shown"), h("p", {}, String(error))]));
    throw error;
  }
}

void start();
