import { lines, percentiles, rate, type Dashboard } from './dashboard.ts'

export const delivery: Dashboard = {
  title: 'Lettergate: delivery',
  description: 'Whether runs and automations are handed to the provider, and what comes back.',
  rows: {
    'What is left': [
      lines(
        'Recipients pending',
        'short',
        { 'max(lettergate_recipients_pending)': 'pending' },
        'Recipients in the open batches of all runs that are being sent.',
      ),
      lines(
        'Due work: what workers are scaled on',
        'short',
        {
          'max(lettergate_batches_due)': 'batches',
          'sum(lettergate_automation_emails_due)': 'emails of automations',
        },
        'Above zero for long: more workers, or a higher limit of the connection.',
      ),
      lines('Recipients pending by run', 'short', {
        'topk(10, max by (workspace_id, run_id) (lettergate_run_recipients_pending))': '{{run_id}}',
      }),
    ],
    'Hand-offs': [
      lines('Hand-offs by result', 'ops', {
        [rate('lettergate_hand_offs_total', 'kind, result')]: '{{kind}} {{result}}',
      }),
      lines('Recipients by new state', 'ops', { [rate('lettergate_recipients_total', 'state')]: '{{state}}' }),
      lines('Time of a call to the provider', 's', percentiles('lettergate_hand_off_seconds')),
      lines(
        'Age of the verdicts at the first byte',
        's',
        {
          ...percentiles('lettergate_verdict_to_hand_off_seconds'),
          'max(lettergate_verdict_to_hand_off_max_seconds)': 'longest',
        },
        'How long a withdrawal can still be too late. At most 4 s.',
      ),
      lines('Time from intent to call', 's', percentiles('lettergate_intent_to_hand_off_seconds')),
      lines('Calls under way', 'short', { 'max(lettergate_hand_offs_under_way)': 'under way' }),
      lines('Batches that were postponed', 'ops', { [rate('lettergate_batches_postponed_total', 'why')]: '{{why}}' }),
      lines('Messages that were judged again', 'ops', {
        'sum(rate(lettergate_batches_rejudged_total[$__rate_interval]))': 'judged again',
      }),
      lines(
        'Age of the gates in use',
        's',
        { 'max(lettergate_gate_state_age_seconds)': 'oldest' },
        'Above 15 s every run is held.',
      ),
    ],
    'Unknown results': [
      lines('Hand-offs with an unknown result', 'short', { 'max(lettergate_hand_offs_unknown)': 'unknown' }),
      lines('Age of the oldest', 's', { 'max(lettergate_hand_off_unknown_age_seconds)': 'oldest' }),
      lines('Errors of hand-offs', 'percentunit', { 'lettergate:hand_offs_errors:ratio_rate5m': '5 min' }),
    ],
    'What comes back': [
      lines('Provider events', 'ops', {
        [rate('lettergate_webhook_events_total', 'event, result')]: '{{event}} {{result}}',
      }),
      lines('Age of provider events when they arrive', 's', percentiles('lettergate_webhook_event_age_seconds')),
      lines('Webhook requests refused', 'ops', { [rate('lettergate_webhook_refusals_total', 'reason')]: '{{reason}}' }),
    ],
    'Before and beside runs': [
      lines('Snapshots', 'ops', { [rate('lettergate_snapshots_total', 'result')]: '{{result}}' }),
      lines('Oldest snapshot that waits', 's', { 'max(lettergate_snapshot_oldest_seconds)': 'oldest' }),
      lines('Campaign webhooks', 'ops', {
        [rate('lettergate_campaign_webhook_attempts_total', 'result')]: '{{result}}',
      }),
      lines('Test sends and rehearsals', 'ops', {
        [rate('lettergate_test_sends_total', 'purpose, outcome')]: '{{purpose}} {{outcome}}',
      }),
      lines('Domain checks', 'ops', { [rate('lettergate_domain_checks_total', 'verdict')]: '{{verdict}}' }),
      lines(
        'Reads at the provider, 99th percentile',
        's',
        percentiles('lettergate_provider_call_seconds', '', 'operation'),
      ),
    ],
    Automations: [
      lines('Steps', 'ops', {
        [rate('lettergate_enrollment_steps_total', 'node_type, outcome')]: '{{node_type}} {{outcome}}',
      }),
      lines('Due steps', 'short', {
        'max(lettergate_enrollments_due)': 'due',
        'max(lettergate_enrollments_claimed)': 'taken by a worker',
        'max(lettergate_enrollments_held)': 'held',
      }),
      lines('Oldest due step', 's', { 'max(lettergate_enrollment_oldest_due_seconds)': 'oldest' }),
      lines('Emails of steps', 'ops', { [rate('lettergate_automation_emails_total', 'outcome')]: '{{outcome}}' }),
      lines('Enrollments by state', 'short', { 'max by (state) (lettergate_enrollments)': '{{state}}' }),
    ],
  },
}
