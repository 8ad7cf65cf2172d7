import type { DescService } from '@bufbuild/protobuf'
import type { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { DeadLetters } from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Database } from '@lettergate/database'
import type { Fault } from '@lettergate/fault'
import { rateLimit } from '@lettergate/http/rate-limit'
import type { Client } from '@lettergate/rpc'
import type { CallScope, Service } from '@lettergate/service'
import type { Config } from './config.ts'
import { auditRefusals } from './audit-log/audit-refusals.ts'
import { auditExports } from './audit-log/audit-exports.ts'
import { exportAuditChain } from './audit-log/export-audit-chain.ts'
import { exportAuditLog } from './audit-log/export-audit-log.ts'
import { exportCampaignRunRecipients } from './console/export-campaign-run-recipients.ts'
import { previewContentVersion } from './console/preview-content-version.ts'
import { signInRoutes } from './console/sign-in.ts'
import type { Ctx } from './ctx.ts'
import { deadLettersOfAll, type DeadLettersOfOne } from './dead-letters.ts'
import { callerRates } from './engine/caller-rates.ts'
import { openEngine, type Engine, type SessionScope } from './engine/engine.ts'
import { guessLimit } from './engine/guess-limit.ts'
import { limitForms, loadDocument } from './engine/load-document.ts'
import { plansOf } from './engine/plan.ts'
import { principalsIn } from './engine/principals.ts'
import { requestLog } from './engine/request-log.ts'
import { rpcRegistry } from './engine/rpcs.ts'
import { signInAgain } from './engine/authenticate.ts'
import { sessionsIn } from './engine/sessions.ts'
import { openSourceCallers } from './engine/source-callers.ts'
import { openUploads } from './engine/uploads.ts'
import { openWallet } from './engine/wallet.ts'
import { workspacesIn } from './engine/workspace-of.ts'
import type { GateWatch } from './gates/gate-watch.ts'
import { operations } from './operations.ts'
import { consoleAddressOf, consoleRoutes } from './pages/console-files.ts'
import { startPage } from './pages/start-page.ts'
import { docsFiles, docsPage, openapiDocument } from './public/docs.ts'
import { health, readiness } from './public/health.ts'
import { confirmSignup } from './public/confirmations/confirm-signup.ts'
import { showConfirmationPage } from './public/confirmations/show-confirmation-page.ts'
import { leaveSubscriptions } from './public/preferences/leave-subscriptions.ts'
import { showPreferencePage } from './public/preferences/show-preference-page.ts'
import { usePreferenceLink } from './public/preferences/use-preference-link.ts'

export interface EdgeDependencies {
  db: Database
  gates: GateWatch
  contacts: Client<typeof ContactsConsent>
  campaigns: Client<typeof CampaignsDelivery>
  /** every service that operations of the documents call */
  remotes: readonly { rpc: DescService; client: object }[]
  /** by the name of the service that stores them */
  deadLettersOf: Readonly<Record<string, DeadLettersOfOne>>
  ctxOf: (scope: CallScope) => Ctx
}

const saidByWallet = (refusal: Fault) => refusal.reason === signInAgain().reason

type AnyOperation = (ctx: Ctx, request: object) => Promise<object>

/** Assembles the engine: both documents, their rpcs, and the routes without an rpc. */
export function openEdge(
  service: Service,
  config: Config,
  { db, gates, contacts, campaigns, remotes, deadLettersOf, ctxOf }: EdgeDependencies,
): Engine {
  const documents = { public: loadDocument('public'), console: loadDocument('console') }
  limitForms(documents.public, config.importMaxBytes)
  const wallet = openWallet(service, {
    baseUrl: config.walletBaseUrl,
    clientId: config.walletClientId,
    clientSecret: config.walletClientSecret,
    cacheSeconds: config.walletValidationCacheSeconds,
  })
  void service.use(wallet)
  const sessions = sessionsIn(db, service)
  const principals = principalsIn(db)
  const isLimited = () => gates.effective('rate_limit_enabled')
  const preferences = {
    contacts,
    limit: rateLimit(config.preferencesPerMinute, isLimited),
    forgeries: rateLimit(config.preferencesPerMinute, isLimited),
    trustedProxies: config.trustedProxies,
  }
  const limits = {
    start: rateLimit(config.signInPerMinute, isLimited),
    callback: rateLimit(config.signInPerMinute, isLimited),
  }
  const log = requestLog(service)
  const rememberMs = config.rejectedCredentialSeconds * 1000
  const guesses = guessLimit({
    limit: rateLimit(config.rejectedCredentialsPerMinute),
    trustedProxies: config.trustedProxies,
    rememberMs,
    isFinal: () => true,
  })
  const sources = openSourceCallers({
    wallet,
    workspaceOf: workspacesIn(db),
    admit: contacts.admitSource,
    limits: {
      events: rateLimit(config.sourceEventsPerMinute, isLimited),
      others: rateLimit(config.callerPerMinute),
    },
    guesses: guessLimit({
      limit: rateLimit(config.sourceRefusalsPerMinute, isLimited),
      trustedProxies: config.trustedProxies,
      rememberMs,
      isFinal: saidByWallet, // what contacts-consent refuses, an operator may allow at any moment
    }),
    log,
  })
  const signIn = { ...config, wallet, sessions, principals, limits, guesses, log }

  const exported = auditExports(service, ctxOf)
  const rpcs = rpcRegistry()
  for (const { rpc, client } of remotes) rpcs.addRemote(rpc, client)
  rpcs.addLocal(Identity, (localName) => {
    const operation = (operations as unknown as Record<string, AnyOperation>)[localName]!
    return (scope, request) => operation(ofSession(ctxOf(scope), scope), request)
  })
  rpcs.addLocal(DeadLetters, deadLettersOfAll(deadLettersOf))
  const plans = [...plansOf('public', documents.public), ...plansOf('console', documents.console)]
  return openEngine({
    plans,
    rpcs,
    credentials: { wallet, sessions, principals, guesses, serviceApiKey: config.serviceApiKey },
    sources,
    rates: callerRates({
      caller: config.callerPerMinute,
      workspace: config.workspacePerMinute,
      expensiveCaller: config.expensiveCallerPerMinute,
      expensiveWorkspace: config.expensiveWorkspacePerMinute,
    }),
    log,
    uploads: openUploads({
      atOnce: config.uploadsAtOnce,
      perWorkspace: config.uploadsPerWorkspace,
      timeoutMs: config.uploadTimeoutSeconds * 1000,
      bytesPerSecondMin: config.uploadBytesPerSecondMin,
    }),
    refusals: auditRefusals(service, ctxOf),
    validateReplies: config.validateResponses,
    handlers: {
      health: health(service, () => gates.effective('production_sending_enabled')),
      readiness: readiness(service),
      openapiDocument: openapiDocument(documents),
      docs: docsPage,
      preferencePage: showPreferencePage(preferences),
      preferenceUse: usePreferenceLink(preferences),
      preferenceChoices: leaveSubscriptions(preferences),
      confirmationPage: showConfirmationPage(preferences),
      confirmationUse: confirmSignup(preferences),
      exportAuditLog: exported(exportAuditLog),
      exportAuditChain: exported(exportAuditChain),
      exportCampaignRunRecipients: exportCampaignRunRecipients(service, campaigns),
      previewContentVersion: previewContentVersion(campaigns),
    },
    routes: [
      { method: 'GET', template: '/', handler: startPage },
      ...consoleRoutes(config.consoleDirectory, config.deploymentEnvironment),
      ...signInRoutes(service, signIn),
      ...docsFiles,
    ],
    otherwise: consoleAddressOf,
  })
}

/** The same context with the browser session of the caller. */
const ofSession = (ctx: Ctx, scope: CallScope): Ctx =>
  Object.defineProperty(ctx, 'session', {
    value: (scope as Partial<SessionScope>).session ?? null,
    configurable: true,
  })
