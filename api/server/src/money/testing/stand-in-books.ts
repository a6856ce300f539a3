/** The data of the stand-in for PayPal, and its answers. */
interface BookedCapture {
  value: string;
  currency: string;
  status: string;
  customId: string | null;
}

/** An order, and whether its payer has approved it. */
interface BookedOrder {
  readonly customId: string;
  readonly value: string;
  readonly currency: string;
  readonly returnUrl: string;
  approved: boolean;
  captureId: string | null;
}

interface ListedTransaction {
  readonly id: string;
  readonly value: string;
  readonly at?: Date;
  readonly currency?: string;
  readonly code?: string;
  readonly refersTo?: string;
  readonly customId?: string;
}

const PAGE_SIZE = 2;

/** The state behind the stand-in's answers. Tests and the stand-in's own requests change it. */
export class StandInBooks {
  readonly captures = new Map<string, BookedCapture>();
  readonly refunds = new Map<string, { value: string; status: string }>();
  readonly disputes = new Map<string, { value: string; status: string; outcome: string | null }>();
  readonly orders = new Map<string, BookedOrder>();
  transactions: ListedTransaction[] = [];
  /** The statement is complete up to this time; null for the present time. */
  refreshed: Date | null = null;

  pay(captureId: string, capture: Partial<BookedCapture> & Pick<BookedCapture, 'value' | 'customId'>): void {
    this.captures.set(captureId, { currency: 'USD', status: 'COMPLETED', ...capture });
  }

  answer(url: URL): unknown {
    const [, , , kind = '', id = ''] = url.pathname.split('/');
    if (url.pathname.startsWith('/v2/payments/captures/')) return this.#capture(id);
    if (url.pathname.startsWith('/v2/payments/refunds/')) return this.#refund(id);
    if (kind === 'disputes') return this.#dispute(id);
    return url.pathname === '/v1/reporting/transactions' ? this.#list(url.searchParams) : undefined;
  }

  /** Creates an order, in the form of PayPal's Orders v2. */
  begin(body: {
    readonly purchase_units: readonly {
      readonly custom_id: string;
      readonly amount: { readonly currency_code: string; readonly value: string };
    }[];
    readonly payment_source: { readonly paypal: { readonly experience_context: { readonly return_url: string } } };
  }): unknown {
    const id = `ORDER${this.orders.size + 1}`;
    const [unit] = body.purchase_units;
    if (unit === undefined) return undefined;
    this.orders.set(id, {
      customId: unit.custom_id,
      value: unit.amount.value,
      currency: unit.amount.currency_code,
      returnUrl: body.payment_source.paypal.experience_context.return_url,
      approved: false,
      captureId: null,
    });
    return {
      id,
      status: 'PAYER_ACTION_REQUIRED',
      links: [
        { rel: 'self', href: `https://api-m.sandbox.paypal.com/v2/checkout/orders/${id}` },
        { rel: 'payer-action', href: `https://www.sandbox.paypal.com/checkoutnow?token=${id}` },
      ],
    };
  }

  /** Captures an order once, and only if its payer has approved it. */
  take(id: string): { readonly status: number; readonly body: unknown } {
    const order = this.orders.get(id);
    if (order === undefined) return { status: 404, body: { name: 'RESOURCE_NOT_FOUND' } };
    const why = order.captureId !== null ? 'ORDER_ALREADY_CAPTURED' : order.approved ? null : 'ORDER_NOT_APPROVED';
    if (why !== null) return { status: 422, body: { name: 'UNPROCESSABLE_ENTITY', details: [{ issue: why }] } };
    order.captureId = `CAPTUREOF${id}`;
    this.pay(order.captureId, { value: order.value, currency: order.currency, customId: order.customId });
    return { status: 201, body: { id, status: 'COMPLETED' } };
  }

  #capture(id: string): unknown {
    const capture = this.captures.get(id);
    if (capture === undefined) return undefined;
    const { value, currency, status, customId } = capture;
    return {
      id,
      status,
      amount: { currency_code: currency, value },
      ...(customId === null ? {} : { custom_id: customId }),
      final_capture: true,
      links: [],
    };
  }

  #refund(id: string): unknown {
    const refund = this.refunds.get(id);
    return refund === undefined
      ? undefined
      : { id, status: refund.status, amount: { currency_code: 'USD', value: refund.value } };
  }

  #dispute(id: string): unknown {
    const dispute = this.disputes.get(id);
    if (dispute === undefined) return undefined;
    const { value, status, outcome } = dispute;
    return {
      dispute_id: id,
      status,
      dispute_amount: { currency_code: 'USD', value },
      ...(outcome === null ? {} : { dispute_outcome: { outcome_code: outcome } }),
    };
  }

  #list(query: URLSearchParams): unknown {
    const page = Number(query.get('page'));
    const shown = this.transactions.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    const detail = ({ id, value, at, currency, code, refersTo, customId }: ListedTransaction): unknown => ({
      transaction_info: {
        transaction_id: id,
        transaction_event_code: code ?? (refersTo === undefined ? 'T0006' : 'T1107'),
        transaction_initiation_date: (at ?? new Date()).toISOString(),
        transaction_amount: { currency_code: currency ?? 'USD', value },
        transaction_status: 'S',
        ...(refersTo === undefined ? {} : { paypal_reference_id: refersTo, paypal_reference_id_type: 'TXN' }),
        ...(customId === undefined ? {} : { custom_field: customId }),
      },
    });
    return {
      transaction_details: shown.map(detail),
      page,
      total_pages: Math.max(1, Math.ceil(this.transactions.length / PAGE_SIZE)),
      last_refreshed_datetime: (this.refreshed ?? new Date()).toISOString(),
    };
  }
}
