import { increase, lines, now, percentiles, rate, type Dashboard } from './dashboard.ts'

export const consent: Dashboard = {
  title: 'Lettergate: consent',
  description: 'Who may get email and who leaves: decisions, sign-ups, withdrawals, suppressions, imports.',
  rows: {
    'Is the record sound': [
      now(
        'Alerts about consent',
        'short',
        {
          'max by (code) (lettergate_alerts_open{code=~"consent_record_broken|import_brought_back|import_not_reconciled|erasure_incomplete|audit_log_broken"})':
            '{{code}}',
        },
        'Empty is good. Any value: stop sending and read the runbook of the code.',
      ),
      lines('Reports of erasures that were ignored', 'short', {
        'sum(increase(lettergate_erasure_reports_ignored_total[$__rate_interval]))': 'ignored',
      }),
      lines(
        'Consumer lag of contacts-consent (messages)',
        'short',
        {
          'max by (consumer) (lettergate_consumer_lag_messages{service="contacts-consent"})': '{{consumer}}',
        },
        'Bounces and complaints become suppressions here.',
      ),
    ],
    Decisions: [
      lines('Eligibility decisions', 'ops', {
        [rate('lettergate_eligibility_decisions_total', 'result')]: '{{result}}',
      }),
      lines('Why contacts were excluded', 'ops', {
        [rate('lettergate_eligibility_decisions_total', 'reason', '{result="excluded"}')]: '{{reason}}',
      }),
      lines(
        'Time to answer, 99th percentile by call',
        's',
        percentiles('lettergate_rpc_server_seconds', '{service="contacts-consent"}', 'method'),
      ),
    ],
    'People who come': [
      lines('Events of subscription sources', 'short', {
        [increase('lettergate_source_events_total', 'status')]: '{{status}}',
      }),
      lines('Uses of confirmation links', 'short', {
        [increase('lettergate_sign_up_confirmations_total', 'outcome')]: '{{outcome}}',
      }),
      lines('Confirmation emails', 'short', {
        [increase('lettergate_confirmation_emails_total', 'outcome')]: '{{outcome}}',
      }),
    ],
    'People who leave': [
      lines('Unsubscribes', 'short', { [increase('lettergate_unsubscribes_total', 'via')]: '{{via}}' }),
      lines('New suppressions', 'short', {
        [increase('lettergate_suppressions_created_total', 'scope, reason')]: '{{scope}} {{reason}}',
      }),
      lines('Complaints and failures at the provider', 'short', {
        [increase('lettergate_webhook_events_total', 'event', '{event=~"complained|failed|unsubscribed"}')]:
          '{{event}}',
      }),
      lines('Preference links that changed nothing', 'short', {
        [increase('lettergate_preference_link_repeats_total', 'via')]: '{{via}}',
      }),
    ],
    Imports: [
      lines('Rows', 'ops', { [rate('lettergate_import_rows_total', 'phase')]: '{{phase}}' }),
      lines('Imports by status', 'short', { 'max by (status) (lettergate_imports)': '{{status}}' }),
      lines('Oldest import that waits', 's', { 'max(lettergate_import_oldest_queued_seconds)': 'oldest' }),
      lines('Runs of workers', 'short', {
        [increase('lettergate_import_runs_total', 'run, result')]: '{{run}} {{result}}',
      }),
      lines('Uploads', 'short', { [increase('lettergate_import_uploads_total', 'outcome')]: '{{outcome}}' }),
    ],
  },
}
