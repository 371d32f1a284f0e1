/**
 * Tabs of a browser that tests take in turn. A new one takes a second of CPU until it shows the page, one that was used before a
 * third of that: its process runs, and the scripts of the page are compiled.
 */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { newContext } from '../service/browser.js';
import { SAVES_DATA } from '../service/chromium.js';

/** What a tab is made with. */
interface TabKind {
  readonly isTouch: boolean;
  /** The language of the browser. */
  readonly locale: string;
  /** The page is kept by its service worker, for tests of what outlives a service or a window. Starting it takes a fifth of the CPU of a window. */
  readonly hasWorker: boolean;
  /** As on a metered connection: the page loads no part before it is needed. */
  readonly savesData: boolean;
}

/** What each test sets anew. */
interface TabLook {
  readonly width: number;
  readonly height: number;
  readonly theme: 'light' | 'dark';
  readonly reducedMotion: 'reduce' | 'no-preference';
}

export interface TabOptions extends TabKind, TabLook {}

const REPORT = 'reportViolation';
/** Runs in every page before its own scripts. */
const WATCH_POLICY = `addEventListener('securitypolicyviolation', (event) => ${REPORT}(event.violatedDirective + ' ' + event.blockedURI));`;
/** As where the service is called by a name over plain HTTP. */
const WITHOUT_WORKER = 'delete Navigator.prototype.serviceWorker;';
/** Refusals and lost connections belong to many tests; the browser writes them to the console too. */
const NETWORK = /^(?:Failed to load resource|WebSocket connection to)/;
const EMPTY = 'about:blank';
export const ORDINARY_SIZE = { width: 1280, height: 800 } as const;
/** What tests listen to. */
const EVENTS = ['dialog', 'download', 'popup', 'request', 'response', 'websocket'];

export class Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly kind: TabKind;
  readonly #debugger: CDPSession;
  /** Of the test that has the tab. */
  #complaints: string[] = [];

  private constructor(context: BrowserContext, page: Page, session: CDPSession, kind: TabKind) {
    this.context = context;
    this.page = page;
    this.kind = kind;
    this.#debugger = session;
  }

  /** It has cookies and a store of its own. */
  static async open(browser: Browser, kind: TabKind): Promise<Tab> {
    const { isTouch, locale, hasWorker, savesData } = kind;
    const context = await newContext(browser, { viewport: ORDINARY_SIZE, hasTouch: isTouch, isMobile: isTouch, locale });
    const page = await context.newPage();
    const tab = new Tab(context, page, await context.newCDPSession(page), kind);
    await context.exposeFunction(REPORT, (violation: string) => tab.#complaints.push(`violates the policy: ${violation}`));
    await context.addInitScript(WATCH_POLICY + (hasWorker ? '' : WITHOUT_WORKER) + (savesData ? SAVES_DATA : ''));
    page.on('console', (message) => {
      if (message.type() === 'error' && !NETWORK.test(message.text())) tab.#complaints.push(message.text());
    });
    page.on('pageerror', (error) => tab.#complaints.push(error.stack || error.message));
    return tab;
  }

  /** Of its page. Others that a test opens have the ordinary size. */
  async show({ width, height, theme, reducedMotion }: TabLook): Promise<void> {
    await this.page.emulateMedia({ media: null, colorScheme: theme, reducedMotion });
    await this.page.setViewportSize({ width, height });
  }

  /** The complaints of its pages from now on. */
  watch(): readonly string[] {
    return (this.#complaints = []);
  }

  /** Forgets everything that a test did in it; false if it cannot, because the test has closed it. */
  async clear(): Promise<boolean> {
    const { context, page } = this;
    if (page.isClosed()) return false;
    const origin = new URL(page.url()).origin;
    await Promise.all([page.unrouteAll({ behavior: 'ignoreErrors' }), context.unrouteAll({ behavior: 'ignoreErrors' })]);
    for (const event of EVENTS) page.removeAllListeners(event);
    await Promise.all(context.pages().map((each) => (each === page ? null : each.close())));
    // The page asks before it loses what is not saved.
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(EMPTY);
    page.removeAllListeners('dialog');
    await Promise.all([context.clearCookies(), context.clearPermissions()]);
    await this.#debugger.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    return true;
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

const tabsOf = new WeakMap<Browser, Tabs>();

/** The tabs of one browser that no test has at the moment: at most as many as were open at the same time. */
export class Tabs {
  readonly #browser: Browser;
  readonly #free = new Map<string, Tab[]>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static of(browser: Browser): Tabs {
    const tabs = tabsOf.get(browser) ?? new Tabs(browser);
    tabsOf.set(browser, tabs);
    return tabs;
  }

  async take({ isTouch, locale, hasWorker, savesData, ...look }: TabOptions): Promise<Tab> {
    const kind: TabKind = { isTouch, locale, hasWorker, savesData };
    const tab = this.#free.get(JSON.stringify(kind))?.pop() ?? (await Tab.open(this.#browser, kind));
    await tab.show(look);
    return tab;
  }

  async giveBack(tab: Tab): Promise<void> {
    if (!(await tab.clear())) return tab.close();
    const key = JSON.stringify(tab.kind);
    this.#free.set(key, [...(this.#free.get(key) ?? []), tab]);
  }
}
