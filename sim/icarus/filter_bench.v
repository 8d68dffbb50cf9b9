// Drives the broker over a file of subscription frames and publications and writes what comes out of it as lines of hexadecimal numbers.
//
// +input=FILE: for each item a byte, 'S' for a subscription frame or 'P' for a publication, a 32-bit little-endian length and the bytes.
// +output=FILE:
//   R refusal reference first-word-clock result-clock
//   V verdict code offset bytes matches first-word-clock last-word-clock verdict-clock
//   N link count last data clock     a word of a notification
// Frames follow each other; a frame waits for the publications before it, a publication for all items before it, notifications included.
// +stalls=SEED makes the sources idle and the sinks slow at random. Clocks are counted as by the Verilated driver, from the first one in reset.

`timescale 1ns / 1ps
`include "layout.vh"

module filter_bench;
    localparam LINKS = 4;
    reg clk = 0, rst = 1;
    reg subscription_valid = 0, publication_valid = 0, result_ready = 0, verdict_ready = 0;
    reg [`SUBSCRIPTION__PAYLOAD_WIDTH-1:0] payload = 0;
    reg [LINKS-1:0] link_ready = 0;
    wire subscription_ready, publication_ready, result_valid, verdict_valid;
    wire [`RESULT__PAYLOAD_WIDTH-1:0] result_payload;
    wire [`VERDICT__PAYLOAD_WIDTH-1:0] verdict_payload;
    wire [LINKS-1:0] link_valid;
    wire [`NOTIFICATION__0__PAYLOAD_WIDTH-1:0] link_payload [0:LINKS-1];

    x2cbbr dut (
        .clk(clk), .rst(rst), .clear(1'b0), .skeleton__valid(1'b0), .skeleton__payload(36'b0),
        .subscription__valid(subscription_valid), .subscription__ready(subscription_ready), .subscription__payload(payload),
        .publication__valid(publication_valid), .publication__ready(publication_ready), .publication__payload(payload),
        .result__valid(result_valid), .result__ready(result_ready), .result__payload(result_payload),
        .verdict__valid(verdict_valid), .verdict__ready(verdict_ready), .verdict__payload(verdict_payload),
        .notification__0__valid(link_valid[0]), .notification__0__ready(link_ready[0]), .notification__0__payload(link_payload[0])
`ifdef NOTIFICATION__1__VALID_WIDTH
        , .notification__1__valid(link_valid[1]), .notification__1__ready(link_ready[1]), .notification__1__payload(link_payload[1])
`endif
`ifdef NOTIFICATION__2__VALID_WIDTH
        , .notification__2__valid(link_valid[2]), .notification__2__ready(link_ready[2]), .notification__2__payload(link_payload[2])
`endif
`ifdef NOTIFICATION__3__VALID_WIDTH
        , .notification__3__valid(link_valid[3]), .notification__3__ready(link_ready[3]), .notification__3__payload(link_payload[3])
`endif
    );

    integer input_file, output_file, got, kind, byte_read, seed, stalls, link;
    integer clock, idle, aftermath, left, position, more, at_start;
    integer frames, answered, notified, due;
    integer frame_clock [0:4095];
    integer first_word, last_word;
    reg publishing, took_frame, took_publication;
    reg [8191:0] path;
    reg [31:0] length_bytes;

    // Reads the kind and the length of the next item, if there is one.
    task next_item;
        begin
            kind = $fgetc(input_file);
            more = kind == "S" || kind == "P";
            if (more) got = $fread(length_bytes, input_file);
            left = {length_bytes[7:0], length_bytes[15:8], length_bytes[23:16], length_bytes[31:24]};
            at_start = 1;
        end
    endtask

    // Puts the next word of the item on its port.
    task offer;
        begin
            payload = 0;
            position = 0;
            while (position < 4 && left > 0) begin
                byte_read = $fgetc(input_file);
                payload = payload | ((byte_read & 255) << (8 * position));
                position = position + 1;
                left = left - 1;
            end
            payload[`SUBSCRIPTION_COUNT] = position;
            payload[`SUBSCRIPTION_LAST] = left == 0;
            if (kind == "S") subscription_valid = 1;
            else publication_valid = 1;
        end
    endtask

    function free_now(input integer one_in);
        free_now = stalls == 0 || $urandom(seed) % one_in != 0;
    endfunction

    // Whether the next item may begin: `publishing` until the latest publication has its verdict and all its notifications.
    function may_begin(input integer unused);
        may_begin = !publishing && (kind == "S" || answered == frames);
    endfunction

    initial begin
        stalls = $value$plusargs("stalls=%d", seed) != 0;
        if (!$value$plusargs("input=%s", path)) $finish(2);
        input_file = $fopen(path, "rb");
        if (!$value$plusargs("output=%s", path)) $finish(2);
        output_file = $fopen(path, "w");
        {frames, answered, notified, idle, aftermath, publishing} = 0;
        due = -1;
        for (clock = 0; clock < 4; clock = clock + 1) begin
            #1 clk = 0;
            #1 clk = 1;
        end
        #1 clk = 0; rst = 0;
        next_item;
        // What comes uncalled for at the end is seen too.
        while (aftermath < 300 && idle < 200000) begin
            if (!more && !publishing && answered == frames && !subscription_valid) aftermath = aftermath + 1;
            if (!subscription_valid && !publication_valid && more && (!at_start || may_begin(0)) && free_now(3)) offer;
            result_ready = free_now(4);
            verdict_ready = free_now(4);
            for (link = 0; link < LINKS; link = link + 1) link_ready[link] = free_now(4);
            #1;
            idle = idle + 1;
            took_frame = subscription_valid && subscription_ready;
            took_publication = publication_valid && publication_ready;
            if (result_valid && result_ready) begin
                idle = 0;
                $fwrite(output_file, "R %h %h %h %h\n", result_payload[`RESULT_REFUSAL], result_payload[`RESULT_KEY_REFERENCE],
                        frame_clock[answered % 4096], clock);
                answered = answered + 1;
            end
            for (link = 0; link < LINKS; link = link + 1)
                if (link_valid[link] && link_ready[link]) begin
                    idle = 0;
                    $fwrite(output_file, "N %h %h %h %h %h\n", link, link_payload[link][`NOTIFICATION__0_COUNT], link_payload[link][`NOTIFICATION__0_LAST],
                            link_payload[link][`NOTIFICATION__0_DATA], clock);
                    notified = notified + link_payload[link][`NOTIFICATION__0_LAST];
                end
            if (verdict_valid && verdict_ready) begin
                idle = 0;
                $fwrite(output_file, "V %h %h %h %h %h %h %h %h\n", verdict_payload[`VERDICT_VERDICT_VERDICT], verdict_payload[`VERDICT_VERDICT_CODE],
                        verdict_payload[`VERDICT_VERDICT_OFFSET], verdict_payload[`VERDICT_VERDICT_BYTES], verdict_payload[`VERDICT_MATCHES],
                        first_word, last_word, clock);
                due = verdict_payload[`VERDICT_MATCHES];
            end
            if (took_frame || took_publication) begin
                idle = 0;
                if (took_frame && at_start) begin
                    frame_clock[frames % 4096] = clock;
                    frames = frames + 1;
                end
                if (took_publication && at_start) begin
                    first_word = clock;
                    publishing = 1;
                    notified = 0;
                    due = -1;
                end
                if (took_publication) last_word = clock;
                at_start = 0;
            end
            if (notified == due) publishing = 0;
            clk = 1;
            #1;
            clock = clock + 1;
            if (took_frame || took_publication) begin
                {subscription_valid, publication_valid} = 0;
                if (payload[`SUBSCRIPTION_LAST]) next_item;
            end
            clk = 0;
        end
        $fclose(output_file);
        $finish(0);
    end
endmodule
