import type { IncomingMessage, ServerResponse } from 'node:http'
import { Counter } from 'prom-client'
import { Fault } from '@lettergate/fault'
import { correlationIdOf, faultStatus, noteRoute } from '@lettergate/http'
import type { Service } from '@lettergate/service'

/** Logs one line for each request, with the route template: a path may contain a token, an address or an id. */
export interface RequestLog {
  observe(req: IncomingMessage, res: ServerResponse, template: string): void
  callerIs(req: IncomingMessage, actor: string, workspaceId: string | undefined): void
  /** Counts and logs the reason of a refused request. */
  refused(req: IncomingMessage, error: unknown): void
}

// A property of the request: a WeakMap with an entry for each request makes garbage collection expensive.
const known = Symbol('known for the log')
type Logged = IncomingMessage & { [known]?: Known }

interface Known {
  actor?: string
  workspaceId?: string | undefined
  reason?: string
}

/** Known reasons are names in the code; a reason may also be an unknown field name of the request, which may be any text. */
const reasonName = /^[A-Za-z][A-Za-z0-9_.[\]-]{0,79}$/

export function requestLog(service: Service): RequestLog {
  const refusals = new Counter({
    name: 'lettergate_gateway_refusals_total',
    help: 'Requests refused: 401, 403 and 429, by reason',
    labelNames: ['status', 'reason'],
    registers: [service.metrics],
  })
  const about = (req: Logged): Known => (req[known] ??= {})
  return {
    observe(req, res, template) {
      const startedAt = performance.now()
      noteRoute(req, template)
      res.once('close', () => {
        const ms = performance.now() - startedAt
        const status = res.writableFinished ? res.statusCode : 499
        const { actor, workspaceId, reason } = about(req)
        if (!service.log.isLevelEnabled('info')) return
        service.log.info(
          {
            method: req.method,
            route: template,
            status,
            ms: Math.round(ms * 10) / 10,
            correlation_id: correlationIdOf(req),
            actor,
            workspace_id: workspaceId,
            reason,
          },
          'request',
        )
      })
    },
    callerIs: (req, actor, workspaceId) => void Object.assign(about(req), { actor, workspaceId }),
    refused(req, error) {
      if (!(error instanceof Fault)) return
      const status = faultStatus(error)
      about(req).reason = reasonName.test(error.reason) ? error.reason : 'field'
      if (status === 401 || status === 403 || status === 429) refusals.inc({ status, reason: error.reason })
    },
  }
}
