import type { Request, Response } from 'express'
import { Counter } from 'prom-client'
import { Fault } from '@lettergate/fault'
import { correlationIdOf, faultStatus } from '@lettergate/http'
import type { Service } from '@lettergate/service'

/** One line a request, by route template: a path may carry a token, an address or an id. */
export interface RequestLog {
  observe(req: Request, res: Response, template: string): void
  callerIs(req: Request, actor: string, workspaceId: string | undefined): void
  /** Counts and remembers why a request was refused. */
  refused(req: Request, error: unknown): void
}

interface Known {
  actor?: string
  workspaceId?: string | undefined
  reason?: string
}

/** Reasons are names of ours, except where a request names a field that we do not know: that may be anything, an address too. */
const ourName = /^[A-Za-z][A-Za-z0-9_.[\]-]{0,79}$/

export function requestLog(service: Service): RequestLog {
  const refusals = new Counter({
    name: 'lettergate_gateway_refusals_total',
    help: 'Requests refused: 401, 403 and 429, by reason',
    labelNames: ['status', 'reason'],
    registers: [service.metrics],
  })
  const known = new WeakMap<Request, Known>()
  const about = (req: Request): Known => {
    const found = known.get(req) ?? {}
    known.set(req, found)
    return found
  }
  return {
    observe(req, res, template) {
      const startedAt = performance.now()
      Object.assign(req, { route: { path: template } }) // by this name @lettergate/http measures the request
      res.once('close', () => {
        const ms = performance.now() - startedAt
        const status = res.writableFinished ? res.statusCode : 499
        const { actor, workspaceId, reason } = about(req)
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
      about(req).reason = ourName.test(error.reason) ? error.reason : 'field'
      if (status === 401 || status === 403 || status === 429) refusals.inc({ status, reason: error.reason })
    },
  }
}
