import { lines, now, rate, table, type Dashboard } from './dashboard.ts'

export const platform: Dashboard = {
  title: 'Lettergate: platform',
  description: 'Whether the installation works: alerts, availability, events, processes.',
  rows: {
    'What needs a person': [
      table(
        'Open alerts',
        'short',
        { 'max by (code, severity) (lettergate_alerts_open)': '{{code}}' },
        'Alerts of the console that are neither acknowledged nor over. docs/runbooks has a page for each code.',
      ),
      now(
        'Open gates',
        'short',
        { 'min by (gate) (lettergate_gate_open)': '{{gate}}' },
        '1: open. Sending needs production_sending_enabled.',
      ),
      now('Dead letters', 'short', { 'max by (service) (lettergate_dead_letters)': '{{service}}' }),
    ],
    'Availability: share of errors over one hour, and over three days': [
      lines('Gateway', 'percentunit', {
        'lettergate:gateway_errors:ratio_rate1h': '1 h',
        'lettergate:gateway_errors:ratio_rate3d': '3 d, objective 0.1 %',
      }),
      lines('Webhook intake', 'percentunit', {
        'lettergate:webhook_intake_errors:ratio_rate1h': '1 h',
        'lettergate:webhook_intake_errors:ratio_rate3d': '3 d, objective 0.1 %',
      }),
      lines('Hand-offs', 'percentunit', {
        'lettergate:hand_offs_errors:ratio_rate1h': '1 h',
        'lettergate:hand_offs_errors:ratio_rate3d': '3 d, objective 1 %',
      }),
    ],
    Events: [
      lines(
        'Age of the oldest unpublished event',
        's',
        { 'max by (service) (lettergate_outbox_oldest_seconds)': '{{service}}' },
        'Above a few seconds: the relay does not reach NATS, or the stream refuses events.',
      ),
      lines('Consumer lag (messages)', 'short', {
        'max by (service, consumer) (lettergate_consumer_lag_messages) > 0': '{{service}} {{consumer}}',
      }),
      lines('Events that were not handled at once', 'ops', {
        [rate('lettergate_events_handled_total', 'service, consumer, outcome', '{outcome!="handled"}')]:
          '{{service}} {{consumer}} {{outcome}}',
      }),
      lines('Job items that failed', 'ops', {
        [rate('lettergate_job_item_failures_total', 'service, job')]: '{{service}} {{job}}',
      }),
      lines('Refusals by NATS', 'ops', {
        [rate('lettergate_nats_refused_total', 'service, operation')]: '{{service}} {{operation}}',
      }),
      lines('Calls of services that may not make them', 'ops', {
        [rate('lettergate_rpc_peers_refused_total', 'service, peer, method')]: '{{peer}} → {{service}} {{method}}',
      }),
    ],
    Processes: [
      now('Processes', 'short', {
        'count by (service, role) (process_start_time_seconds{service!=""})': '{{service}} {{role}}',
      }),
      lines('Memory', 'bytes', {
        'max by (service, role) (process_resident_memory_bytes{service!=""})': '{{service}} {{role}}',
      }),
      lines('Processor time', 'percentunit', {
        [rate('process_cpu_seconds_total', 'service, role', '{service!=""}')]: '{{service}} {{role}}',
      }),
      lines('Use of the event loop', 'percentunit', {
        'max by (service, role) (nodejs_eventloop_utilization{service!=""})': '{{service}} {{role}}',
      }),
      lines('Restarts', 'short', {
        'sum by (service, role) (changes(process_start_time_seconds{service!=""}[1h]))': '{{service}} {{role}}',
      }),
      now('Certificates end', 'dateTimeFromNow', {
        'min by (service) (lettergate_tls_certificate_expires_timestamp_seconds) * 1000': '{{service}}',
      }),
    ],
  },
}
