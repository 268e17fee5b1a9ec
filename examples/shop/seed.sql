-- A small shop, the same at every start.

CREATE TABLE customers (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    region text,
    created_at timestamptz NOT NULL
);

CREATE TABLE products (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    category text,
    price numeric(12,2) NOT NULL
);

CREATE TABLE orders (
    id bigint PRIMARY KEY,
    customer_id bigint NOT NULL REFERENCES customers,
    status text NOT NULL,
    ordered_at timestamptz NOT NULL
);

CREATE TABLE order_items (
    order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE,
    line int NOT NULL,
    product_id bigint NOT NULL REFERENCES products,
    quantity int NOT NULL,
    amount numeric(12,2),
    PRIMARY KEY (order_id, line)
);

-- Every 20th customer has no region.
INSERT INTO customers
SELECT
    n,
    'customer ' || n,
    CASE WHEN n % 20 = 0 THEN NULL ELSE (ARRAY['north', 'south', 'east', 'west'])[1 + n % 4] END,
    timestamptz '2025-01-01 00:00:00+00' + n * interval '7 hours'
FROM generate_series(1, 200) AS n;

-- Every 15th product has no category.
INSERT INTO products
SELECT
    n,
    'product ' || n,
    CASE WHEN n % 15 = 0 THEN NULL ELSE (ARRAY['books', 'games', 'garden', 'music', 'tools'])[1 + n % 5] END,
    (500 + (n * 7919) % 9500) / 100.0
FROM generate_series(1, 60) AS n;

INSERT INTO orders
SELECT
    n,
    1 + (n * 37) % 200,
    (ARRAY['paid', 'paid', 'shipped', 'shipped', 'open', 'cancelled'])[1 + (n * 11) % 6],
    timestamptz '2025-03-01 08:00:00+00' + n * interval '11 minutes'
FROM generate_series(1, 1500) AS n;

-- One to three lines an order; every 50th line waits for its amount.
INSERT INTO order_items
SELECT
    o.n,
    l.n,
    p.id,
    1 + (o.n + l.n) % 4,
    CASE WHEN (o.n * 3 + l.n) % 50 = 0 THEN NULL ELSE p.price * (1 + (o.n + l.n) % 4) END
FROM generate_series(1, 1500) AS o(n)
CROSS JOIN LATERAL generate_series(1, 1 + o.n % 3) AS l(n)
JOIN products AS p ON p.id = 1 + (o.n * 13 + l.n * 29) % 60;
