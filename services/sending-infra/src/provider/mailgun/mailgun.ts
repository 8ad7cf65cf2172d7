import type { RegisteredWebhooks, WebhookPlan } from '../provider-webhooks.ts'
import { readDomain } from './read-domain.ts'
import { readWebhooks } from './read-webhooks.ts'
import { request, type MailgunSettings, type ProviderAccount, type ProviderResult } from './request.ts'
import type { ProviderDomain } from './shapes.ts'

export type { ProviderAccount, ProviderProblem, ProviderResult } from './request.ts'

const parsed = <T>(answer: ProviderResult<object>, parse: (answer: object) => T | undefined): ProviderResult<T> => {
  if (!answer.ok) return answer
  const value = parse(answer.value)
  return value === undefined ? { ok: false, problem: 'unreadable' } : { ok: true, value }
}

/**
 * A client of the mail provider's HTTP API: domains v4 for reading, domain webhooks v3. It sends no email. Every answer is a
 * value. Calls are limited in time and size, and there are no retries.
 */
export const mailgun = (settings: MailgunSettings) => ({
  /** A cheap authenticated read. It shows only whether the provider accepts the credential. */
  async checkCredential(access: ProviderAccount, signal: AbortSignal): Promise<ProviderResult<true>> {
    const answer = await request(settings, access, {
      operation: 'check_credential',
      method: 'GET',
      path: '/v4/domains?limit=1',
      signal,
    })
    return answer.ok ? { ok: true, value: true } : answer
  },

  async readDomain(
    access: ProviderAccount,
    name: string,
    signal: AbortSignal,
  ): Promise<ProviderResult<ProviderDomain>> {
    return parsed(
      await request(settings, access, {
        operation: 'read_domain',
        method: 'GET',
        path: `/v4/domains/${encodeURIComponent(name)}`,
        signal,
      }),
      (answer) => {
        const domain = readDomain(answer)
        return domain?.name === name ? domain : undefined
      },
    )
  },

  async listWebhooks(
    access: ProviderAccount,
    name: string,
    signal: AbortSignal,
  ): Promise<ProviderResult<RegisteredWebhooks>> {
    return parsed(
      await request(settings, access, {
        operation: 'list_webhooks',
        method: 'GET',
        path: `/v3/domains/${encodeURIComponent(name)}/webhooks`,
        signal,
      }),
      readWebhooks,
    )
  },

  /** Sets the URLs of one kind of event: creates the first one, or replaces the list. */
  async setWebhook(
    access: ProviderAccount,
    name: string,
    change: WebhookPlan['set'][number],
    signal: AbortSignal,
  ): Promise<ProviderResult<true>> {
    const path = `/v3/domains/${encodeURIComponent(name)}/webhooks`
    const urls = change.urls.map((url) => ['url', url] as const)
    const answer = change.isFirst
      ? await request(settings, access, {
          operation: 'create_webhook',
          method: 'POST',
          path,
          form: [['id', change.event], ...urls],
          signal,
        })
      : await request(settings, access, {
          operation: 'replace_webhook',
          method: 'PUT',
          path: `${path}/${change.event}`,
          form: urls,
          signal,
        })
    return answer.ok ? { ok: true, value: true } : answer
  },
})

export type MailProvider = ReturnType<typeof mailgun>
