-- What came goes: earlier rows are deleted and come back, several changes to one row, an item is lost again.

BEGIN;

DELETE FROM store_sales WHERE ss_ticket_number = 901;
INSERT INTO store_sales VALUES (901, 12, 720, 201, 1, 1, 88.00, 11.25);
UPDATE store_sales SET ss_quantity = ss_quantity + 1 WHERE ss_ticket_number BETWEEN 300 AND 305;
UPDATE store_sales SET ss_quantity = ss_quantity - 1 WHERE ss_ticket_number BETWEEN 300 AND 303;

-- The best sale of all is taken back; the year's last weeks are written again.
DELETE FROM store_sales WHERE ss_sales_price = (SELECT max(ss_sales_price) FROM store_sales);
UPDATE store_sales SET ss_sold_date_sk = ss_sold_date_sk - 365 WHERE ss_sold_date_sk > 715;
DELETE FROM web_sales WHERE ws_order_number BETWEEN 100 AND 108;
UPDATE web_sales SET ws_item_sk = 75 WHERE ws_order_number = 50;
INSERT INTO web_sales VALUES (423, 1, NULL, 10, 9, 1, 1.00, 0.10), (423, 2, 80, 10, 9, 2, 9.00, 0.20);
DELETE FROM web_sales WHERE ws_order_number = 423 AND ws_line = 1;
DELETE FROM catalog_sales WHERE cs_item_sk = 91;
INSERT INTO catalog_sales VALUES (NULL, 400, 12, 1, 5.00, 1.00), (7, 400, 12, 1, 5.00, 1.00), (7, 400, 12, 1, 5.00, 1.00);

DELETE FROM store_returns WHERE sr_return_amt > 60;
UPDATE store_returns SET sr_return_amt = sr_return_amt + 20 WHERE sr_store_sk = 4;

UPDATE category SET cat_parent_sk = 2 WHERE cat_sk = 6;
DELETE FROM category WHERE cat_sk = 41;
DELETE FROM item WHERE i_item_sk = 40;
UPDATE item SET i_brand = 'brand 1' WHERE i_brand IS NULL;
UPDATE item SET i_current_price = i_current_price / 2 WHERE i_item_sk BETWEEN 50 AND 55;
UPDATE customer SET c_customer_sk = 20 WHERE c_customer_sk = 300;
DELETE FROM customer WHERE c_customer_sk IN (9, 33, 202);
UPDATE customer SET c_state = 'OH', c_interests = ARRAY['garden'] WHERE c_customer_sk BETWEEN 50 AND 53;
UPDATE store SET s_state = NULL WHERE s_state = 'GA';
UPDATE promotion SET p_start_date_sk = p_start_date_sk - 100 WHERE p_promo_sk IN (12, 20, 41);

COMMIT;
